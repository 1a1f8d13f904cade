/** A timer that this process owns, from the claim to the end of the attempt, and what its handler gets. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { callOutside } from '../common/context.js'
import { errorOf, failRange } from '../common/errors.js'
import type { Row } from '../common/store.js'
import { HostDate } from '../common/time.js'
import type { DurableRun } from '../common/types.js'

const YEARS_100 = 100 * 366 * 24 * 3_600_000

export class Attempt {
  readonly row: Row
  /**
   * `waits`: until it is due and its handler has room. `ends`: the handler has ended, and the database does not know it yet. `lost`: the
   * timer is not this process's any more.
   */
  state: 'waits' | 'runs' | 'ends' | 'lost' = 'waits'
  /** When its handler started: on a clock that cannot be set, and on that of the database. */
  start = 0
  from = 0
  /** Why its handler is to stop. If it still is this process's then, that gives it up: it has not failed. */
  reason: Error | undefined
  /** Whether the handler itself has set or cleared its key. Then it is not aborted. */
  isOwn = false
  /** What the handler has decided. */
  again: number | undefined
  verdict: Error | undefined
  /** Node makes its signal when a handler asks for it. */
  readonly controller = new AbortController()

  constructor(row: Row) {
    this.row = row
  }

  /** What it is called in messages. */
  get source() {
    const { name, key, id, starts } = this.row
    return { name, key: key ?? undefined, id, attempt: starts + 1 }
  }

  /** Aborts the signal. The first reason counts. */
  abort(reason: Error): void {
    this.reason ??= reason
    callOutside((cause) => this.controller.abort(cause), reason)
  }
}

/** The attempt whose handler makes a call. */
export const current = new AsyncLocalStorage<Attempt>()

/** What a handler gets. A class, because an object with a getter of its own takes three times the memory, and three times as long to make. */
export class Run implements DurableRun {
  readonly name: string
  readonly key: string | undefined
  readonly data: unknown
  readonly due: DurableRun['due']
  readonly attempt: number
  readonly id: string
  readonly #attempt: Attempt

  constructor(attempt: Attempt) {
    const { name, key, data, at, starts, id } = attempt.row
    this.name = name
    this.key = key ?? undefined
    this.data = data === null ? undefined : JSON.parse(data)
    this.due = new HostDate(at)
    this.attempt = starts + 1
    this.id = id
    this.#attempt = attempt
  }

  get signal(): AbortSignal {
    return this.#attempt.controller.signal
  }

  // Handlers may take the functions out of the object.
  get retryIn(): DurableRun['retryIn'] {
    return (ms) => {
      if (!(ms >= 0 && ms <= YEARS_100)) failRange('ms', `a number from 0 to ${YEARS_100}`, ms)
      this.#attempt.again = ms
    }
  }

  get fail(): DurableRun['fail'] {
    return (reason) => {
      this.#attempt.verdict = errorOf(reason)
    }
  }
}
