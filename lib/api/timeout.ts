/** The handles that `setTimeout` and `setInterval` return. */

// The same as TypeScript's `esnext.disposable`, for programs that are compiled without it.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol
  }
  interface Disposable {
    [Symbol.dispose](): void
  }
}

/** A handle in a page or a worker: without the undocumented fields that handles have on Node. */
export interface PageTimeout extends Disposable {
  /** Keeps the event loop alive while the timer is pending: the default. Idempotent. */
  ref(): this
  /** Lets the process end while the timer is pending. Idempotent. */
  unref(): this
  /** Whether the pending timer keeps the event loop alive. */
  hasRef(): boolean
  /**
   * Starts the delay again from now. A timer that has run is set again; a timer that was cleared stays cleared. Does nothing
   * after `stop()` of the wheel. O(1).
   *
   * @param delay a new delay, coerced as by `setTimeout`. Default: the current delay
   */
  refresh(delay?: number): this
  /** Clears the timer. */
  close(): this
  /** Whether the timer is set, and has neither run nor been cleared. While its callback runs, an interval is not pending. */
  readonly pending: boolean
  /** When the timer is due, with the fraction of a millisecond, on the scale of the `now` of its wheel; NaN if it is not pending. */
  readonly deadline: number
  /** The milliseconds until the timer is due; negative if it is late; NaN if it is not pending. */
  readonly remaining: number
  /** Returns a number that `clearTimeout` takes instead of the handle. */
  [Symbol.toPrimitive](): number
}

/** A handle: what `setTimeout` and `setInterval` return, and `this` in their callbacks. */
export interface Timeout extends PageTimeout {
  // Undocumented fields of Node's timers, which some programs read. Pages do not have them. Other writes than described have no effect.

  /** The callback. If you assign a function, it runs instead. Null or undefined after the timer was cleared. */
  _onTimeout(...args: never[]): void
  /** The delay in milliseconds; -1 after the timer was cleared. */
  _idleTimeout: number
  /**
   * The start of the pending timer's delay, in milliseconds since the process started: the due time, rounded to a whole
   * millisecond, less the delay. Null while the timer is not pending. An assigned value moves the pending timer.
   */
  _idleStart: number | null
  /** The milliseconds between two runs of an interval. Null: the timer does not repeat. */
  _repeat: number | null
  /** True if the timer has run or was cleared, and has not been set again since. If you assign true, the timer is cleared. */
  _destroyed: boolean
}

/** The handles that `clearTimeout` takes: those of this package and of Node. */
export interface TimeoutLike {
  ref(): unknown
  unref(): unknown
  hasRef(): boolean
}
