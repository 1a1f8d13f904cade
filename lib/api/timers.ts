/** The functions and the class that an entry exports. */
import type { TimersPromises } from './timers-promises.js'
import type { TimerWheel, TimerWheelConstructor } from './wheel.js'

/** Options of the wheel that the whole program shares. */
export interface SharedWheelOptions {
  /**
   * Milliseconds above 0, or `Infinity`; see {@link TimerWheelOptions.budget}. If it is left out, the budget does not
   * change. The initial value is 5. On Node the environment variable `TIMEOUT_WHEEL_BUDGET` can set another.
   */
  budget?: number | undefined
}

export interface Timers {
  /** A separate timing wheel. */
  TimerWheel: TimerWheelConstructor
  /** See {@link TimerWheel.setTimeout}. */
  setTimeout: TimerWheel['setTimeout'] & {
    /** The type of `util.promisify(setTimeout)` for Node's type declarations. It does not exist at run time. */
    readonly __promisify__: TimersPromises['setTimeout']
  }
  /** See {@link TimerWheel.setInterval}. */
  setInterval: TimerWheel['setInterval']
  /** See {@link TimerWheel.clearTimeout}. */
  clearTimeout: TimerWheel['clearTimeout']
  /** Does the same as `clearTimeout`. */
  clearInterval: TimerWheel['clearInterval']
  /** The functions of Node's `timers/promises`, on the same wheel. */
  promises: TimersPromises
  /**
   * Sets options of the shared wheel, at any time. O(1).
   *
   * @throws TypeError if `options` is not an object, if an option is unknown or if `budget` is not a number; RangeError
   *   if `budget` is out of range. Then nothing has changed
   */
  configure(options: SharedWheelOptions): void
}
