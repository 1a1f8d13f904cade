/** The state of handles, their numbers, and their types within the package. */
import type { Timeout } from '../../api/timeout.js'
import type { SteadyRuns } from '../../common/steady-runs.js'
import type { Clearable } from '../../common/symbols.js'
import type { Host } from '../host/node-host.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import type { ProgramHandle } from '../scheduler/timer-target.js'

// The bits of the state. One word holds them, and the record's unit above them, because a program can have millions of handles.
// They are not in handle.ts, because the bundler writes only imported constants as numbers.
export const STATE_BITS = 5
export const STATE_MASK = 2 ** STATE_BITS - 1

export const ONCE = 0
export const REPEATS = 1
export const UNREFERENCED = 2
/** It has an {@link Extra}: more is to do when it is cleared. */
export const HAS_EXTRA = 4
/** It has run or was cleared, and its end was reported to the async hooks. */
export const DESTROYED = 8
/** It was cleared: refresh() does not set it again. */
export const CLEARED = 16
/** It was cleared while it was pending. */
export const OVER = DESTROYED | CLEARED

/** The rare parts of a handle. Most handles have none of them. */
export interface Extra {
  /** The number of the handle: see {@link numbered}; 0 until it is first read. */
  id: number
  /** The runs of an interval that does not drift. Its first argument is the number of missed runs. */
  steady: SteadyRuns | undefined
}

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** The handle's interface for the wheel. */
export interface WheelTimeout extends Timeout, ProgramHandle, Clearable {
  /** The rare parts of the handle, which it has from then on. */
  _addExtra(): Extra
  /** Ends a timer whose wheel was stopped. */
  detach(): void
  readonly _timerArgs: unknown[] | undefined
  /** Sets the timer again, with a delay that is coerced unless it is an `ExactDelay`. */
  _setAgain(delay: unknown): void
}

export type TimeoutConstructor = new (
  callback: TimeoutCallback,
  delay: unknown,
  state: typeof ONCE | typeof REPEATS,
  args?: unknown[],
  scheduler?: Scheduler,
) => WheelTimeout

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
  if (own === undefined || own._destroyed) host.clearTimeout(timeout)
  else own.close()
}
