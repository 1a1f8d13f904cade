/** The functions and the class that every entry for timers exports. */
import type { TimerGroupFunction } from './group.js'

import type { WheelStats } from './stats.js'
import type { TimersPromises } from './timers-promises.js'
import type { TimerWheel, TimerWheelConstructor } from './wheel.js'

/** Options of the wheel that the whole program shares. */
export interface SharedWheelOptions {
  /**
   * Milliseconds above 0, or `Infinity`; see {@link TimerWheelOptions.budget}. If it is left out, the budget does not
   * change. The initial value is 5. On Node the environment variable `TIMEOUT_WHEEL_BUDGET` can set another.
   */
  budget?: number | undefined
  /**
   * As {@link TimerWheelOptions.measure}: true begins to measure, false ends it and forgets what was measured. If it is left
   * out, nothing changes. Only on Node; without effect in a page.
   */
  measure?: boolean | undefined
}

type WheelSetTimeout = TimerWheel['setTimeout']
type WheelSetInterval = TimerWheel['setInterval']
type WheelClearTimeout = TimerWheel['clearTimeout']

/** The type of `setTimeout`. */
export interface SetTimeout extends WheelSetTimeout {
  /** The type of `util.promisify(setTimeout)` for Node's type declarations. It does not exist at run time. */
  readonly __promisify__: TimersPromises['setTimeout']
}

/** The type of `setInterval`. */
export interface SetInterval extends WheelSetInterval {}

/** The type of `clearTimeout` and `clearInterval`. */
export interface ClearTimeout extends WheelClearTimeout {}

/** The type of `configure`. */
export interface Configure {
  /**
   * Sets options of the shared wheel, at any time: `configure({ budget: 10 })`. O(1).
   *
   * @throws TypeError if `options` is not an object, if an option is unknown or if a value is of the wrong type;
   *   RangeError if `budget` is out of range. Then nothing has changed
   */
  (options: SharedWheelOptions): void
}

/** The type of `stats`. */
export interface Stats {
  /** Returns the counts of the shared wheel: those of `setTimeout` and of the promises. It does not open the wheel. O(1). */
  (): WheelStats
}

/** The exports of an entry. Each function has a type with a name, so that an editor shows its documentation at a call. */
export interface Timers {
  TimerWheel: TimerWheelConstructor
  setTimeout: SetTimeout
  setInterval: SetInterval
  clearTimeout: ClearTimeout
  clearInterval: ClearTimeout
  promises: TimersPromises
  configure: Configure
  timerGroup: TimerGroupFunction
  stats: Stats
}
