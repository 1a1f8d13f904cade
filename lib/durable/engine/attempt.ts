/** A timer that this process owns, from the claim to the end of the attempt. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { callOutside } from '../common/context.js'
import type { Row } from '../common/store.js'

export interface Attempt {
  row: Row
  /**
   * `waits`: on the clock, for its due time. `due`: in the queue of its handler. `ends`: the handler has ended, and the database does not
   * know it yet. `lost`: the timer is not this process's any more.
   */
  state: 'waits' | 'due' | 'runs' | 'ends' | 'lost'
  /** On the clock, and whether it was due already when it came there. */
  timer: number
  wasDue: boolean
  /** When its handler started: on a clock that cannot be set, and on that of the database. And how late that was. */
  start: number
  from: number
  lateness: number
  /** Why its handler is to stop. */
  reason: Error | undefined
  /** Whether it is to stop because this process gives up the timer. Then it has not failed. */
  isGivenUp: boolean
  /** Whether the handler itself has set or cleared its key. Then it is not aborted. */
  isOwn: boolean
  /** What the handler has decided. */
  again: number | undefined
  verdict: Error | undefined
  /** Made when the handler asks for its signal, which few do. */
  controller: AbortController | undefined
  /** The row as a claim has given it, whose answer came before that to the end of the attempt. */
  claimed: Row | undefined
}

export const newAttempt = (row: Row): Attempt => ({
  row,
  state: 'waits',
  timer: 0,
  wasDue: false,
  start: 0,
  from: 0,
  lateness: 0,
  reason: undefined,
  isGivenUp: false,
  isOwn: false,
  again: undefined,
  verdict: undefined,
  controller: undefined,
  claimed: undefined,
})

/** The attempt whose handler makes a call. */
export const current = new AsyncLocalStorage<Attempt>()

/** The signal of the handler of an attempt. */
export function signalOf(attempt: Attempt): AbortSignal {
  if (attempt.controller === undefined) {
    attempt.controller = new AbortController()
    if (attempt.reason !== undefined) attempt.controller.abort(attempt.reason)
  }
  return attempt.controller.signal
}

/** Aborts the signal. The first reason counts. */
export function abort(attempt: Attempt, reason: Error): void {
  attempt.reason ??= reason
  const { controller } = attempt
  if (controller !== undefined) callOutside((cause) => controller.abort(cause), attempt.reason)
}
