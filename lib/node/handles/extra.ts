/** The rare parts of handles: numbers, and intervals that do not drift. Most handles have none of them. */
import type { Kernel } from '../../kernel/kernel.js'
import { type SteadyRuns, steadyRuns } from '../../wheel/steady-runs.js'
import type { Host } from '../host/node-host.js'
import { HAS_EXTRA, type WheelTimeout } from './state.js'

/** The rare parts of a handle. */
export interface Extra {
  /** The number of the handle: see {@link numbered}; 0 until it is first read. */
  id: number
  /** The runs of an interval that does not drift. The first argument of its callback is the number of missed runs. */
  steady: SteadyRuns | undefined
}

/** What the functions need of a handle. */
interface Parts {
  _state: number
  readonly _ms: number
  _timerArgs: unknown[] | undefined
  _extra: Extra | undefined
  readonly _kernel: Kernel
}

export function extraOf(handle: Parts): Extra {
  if (handle._extra === undefined) {
    handle._extra = { id: 0, steady: undefined }
    handle._state |= HAS_EXTRA
  }
  return handle._extra
}

/** Lets a new interval not drift. */
export function keepSteady(handle: Parts): void {
  extraOf(handle).steady = steadyRuns()
  // The first argument is the number of missed runs.
  handle._timerArgs = [0, ...(handle._timerArgs ?? [])]
}

/** Begins a run of an interval. Returns the reading of the clock. */
export function beginRun(handle: Parts, unit: number): number {
  const { _kernel: kernel, _extra: extra } = handle
  const now = kernel._readClock()
  const steady = extra?.steady
  if (steady === undefined) return now
  const missed = steady._begin(kernel._dueOf(unit), now, handle._ms || kernel._soonest)
  // It does not throw, although the program can have written other arguments.
  Reflect.set(Object(handle._timerArgs), 0, missed)
  return now
}

/** Ends a run of an interval. Returns the time from which the next run counts: the start of this run, or its due time. */
export function endRun(handle: Parts, started: number): number {
  const steady = handle._extra?.steady
  if (steady === undefined) return started
  Reflect.set(Object(handle._timerArgs), 0, 0)
  return steady._end()
}

/**
 * The pending handles with a number. `+timeout` gives a handle a number, and `clearTimeout` takes that number instead of the handle. A
 * number is valid from its first read until the timer is over.
 */
export const numbered = new Map<number, WheelTimeout>()

/** Clears a timer by a number or a numeric string. Any other value goes to the host. Numbers of old timers are ignored. */
export function clearOther(timeout: unknown, host: Host): void {
  const isNumber = typeof timeout === 'number' || typeof timeout === 'string'
  // As a property key, not as a number: ' 7' names no timer.
  const own = isNumber && `${Number(timeout)}` === `${timeout}` ? numbered.get(Number(timeout)) : undefined
  if (own === undefined) host.clearTimeout(timeout)
  else own.close()
}
