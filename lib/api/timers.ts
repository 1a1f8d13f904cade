/** The functions and the class that every entry for timers exports. */
import type { TimerGroupFunction } from './group.js'
import type { MakeTimeoutSignal, WithTimeout } from './signal.js'
import type { WheelStats } from './stats.js'
import type { Timeout } from './timeout.js'
import type { TimeoutMapConstructor } from './timeout-map.js'
import type { TimersPromises } from './timers-promises.js'
import type { PendingTimer, TimerWheel, TimerWheelConstructor } from './wheel.js'

/** Options of the wheel that the whole program shares. */
export interface SharedWheelOptions {
  /** See {@link TimerWheelOptions.budget}. Initially 5 ms, or on Node the environment variable `TIMEOUT_WHEEL_BUDGET`. */
  budget?: number | undefined
  /** See {@link TimerWheelOptions.measure}. `false` also drops the measured values. Unknown in a page. */
  measure?: boolean | undefined
}

type WheelClearTimeout = TimerWheel['clearTimeout']

/** The type of `setTimeout`. `Handle` is the type of its handles: in pages {@link PageTimeout}. */
export interface SetTimeout<Handle = Timeout> {
  /**
   * Not for calls, which `this: never` refuses: it makes the function assignable to `typeof globalThis.setTimeout` of the DOM library,
   * which also takes code as a string and returns a number. Assigned to that type, the function still throws for a string, and
   * still returns a handle. `clearTimeout` takes it. It stands first, because compilers show why the last overload does not fit.
   */
  (this: never, callback: unknown, delay?: number, ...args: unknown[]): number
  /**
   * Runs `callback` once after `delay`. The delay is coerced, with warnings, as by Node's `setTimeout`. O(1).
   *
   * @param delay milliseconds. A value below 1, above 2^31 - 1 or not a number becomes 1
   * @throws TypeError if `callback` is not a function, or if `delay` is `{ delay }`, which only wheels take. With `timeout-wheel/register`,
   *   such an object becomes 1, as in Node
   * @throws RangeError with code `ERR_WHEEL_FULL` if there is no memory for the timer
   */
  <A extends unknown[]>(callback: (this: Handle, ...args: A) => unknown, delay?: number, ...args: A): Handle
  /** The same for a callback whose one argument can be left out, such as the `resolve` of a promise. */
  // biome-ignore lint/suspicious/noConfusingVoidType: only void lets the caller leave an argument out
  (callback: (this: Handle, _: void) => unknown, delay?: number): Handle
  /** The type of `util.promisify(setTimeout)` for Node's type declarations. It does not exist at run time. */
  readonly __promisify__: TimersPromises['setTimeout']
}

/** The type of `setInterval`. `Handle` as in {@link SetTimeout}. */
export interface SetInterval<Handle = Timeout> {
  /** Not for calls: see {@link SetTimeout}. */
  (this: never, callback: unknown, delay?: number, ...args: unknown[]): number
  /** Runs `callback` every `delay` milliseconds, counted from the start of its last run. Otherwise as `setTimeout`. */
  <A extends unknown[]>(callback: (this: Handle, ...args: A) => unknown, delay?: number, ...args: A): Handle
  /** The same for a callback whose one argument can be left out. */
  // biome-ignore lint/suspicious/noConfusingVoidType: only void lets the caller leave an argument out
  (callback: (this: Handle, _: void) => unknown, delay?: number): Handle
}

/** The type of `setLongTimeout`. `Handle` as in {@link SetTimeout}. */
export interface SetLongTimeout<Handle = Timeout> {
  /**
   * As `setTimeout`, but the delay can be longer than 24.8 days. `refresh()` keeps the long delay; `refresh(delay)` has the
   * limit of `setTimeout`. O(1).
   *
   * @param delay milliseconds up to 2^53 - 1, without their fraction. A value below 1 or not a number becomes 1, and one above
   *   throws
   * @throws TypeError if `callback` is not a function, or if `delay` is `{ delay }`, which only wheels take
   * @throws RangeError if `delay` is above 2^53 - 1, also if it is `Infinity`
   */
  <A extends unknown[]>(callback: (this: Handle, ...args: A) => unknown, delay?: number, ...args: A): Handle
  /** The same for a callback whose one argument can be left out, such as the `resolve` of a promise. */
  // biome-ignore lint/suspicious/noConfusingVoidType: only void lets the caller leave an argument out
  (callback: (this: Handle, _: void) => unknown, delay?: number): Handle
}

/** The type of `clearTimeout` and `clearInterval`. */
export interface ClearTimeout extends WheelClearTimeout {}

/** The type of `configure`. */
export interface Configure {
  /**
   * Sets options of the shared wheel, at any time. Options that are left out do not change. O(1).
   *
   * @throws TypeError if `options` is not an object, if an option is unknown or if a value is of the wrong type; RangeError if
   *   `budget` is out of range
   */
  (options: SharedWheelOptions): void
}

/** The type of `pendingTimers`. */
export interface PendingTimers<Handle = Timeout> {
  /** Lists the pending timers of the shared wheel, as `pendingTimers()` of a wheel does. It does not open the wheel. */
  (): PendingTimer<Handle>[]
}

/** The type of `stats`. */
export interface Stats {
  /** Returns the counts of the shared wheel: those of `setTimeout` and of the promises. It does not open the wheel. O(1). */
  (): WheelStats
}

/** The exports of an entry. Each function has a type with a name, so that an editor shows its documentation at a call. */
export interface Timers {
  TimerWheel: TimerWheelConstructor
  TimeoutMap: TimeoutMapConstructor
  setTimeout: SetTimeout
  setInterval: SetInterval
  setLongTimeout: SetLongTimeout
  clearTimeout: ClearTimeout
  clearInterval: ClearTimeout
  timeoutSignal: MakeTimeoutSignal
  withTimeout: WithTimeout
  configure: Configure
  timerGroup: TimerGroupFunction
  pendingTimers: PendingTimers
  stats: Stats
}
