/** The functions of `timers/promises`. */
import type { Signal } from './signal.js'

// TypeScript before 5.6 has no such interface: there it is empty. To that of later versions this adds nothing.
declare global {
  interface AsyncIteratorObject<T, TReturn, TNext> {}
}

/** Options of the promises. */
export interface TimerOptions {
  /** Ends the wait: the promise is rejected with an `AbortError`, whose `cause` is the signal's reason. */
  signal?: Signal | undefined
  /** Whether the timer keeps the process alive. Default: as the option `unref` of the wheel says. No effect in pages. */
  ref?: boolean | undefined
}

/** The async iterator of an interval. */
export interface IntervalIterator<T>
  extends AsyncIterator<T, undefined, unknown>,
    AsyncIteratorObject<T, undefined, unknown> {
  [Symbol.asyncIterator](): IntervalIterator<T>
}

/** The type of `setTimeout` of the promises. */
export interface PromisedTimeout {
  /**
   * Waits for `delay`. O(1).
   *
   * @param delay milliseconds. Fractions are cut off. A value below 1, above 2^31 - 1 or NaN becomes 1, with Node's warnings. Default: 1
   * @param value the value of the promise. Default: undefined
   * @param options `signal` ends the wait; `ref: false` lets the process end during the wait
   * @returns a promise, which is fulfilled with `value`
   * @throws (rejects) AbortError with code `ABORT_ERR` if the signal is aborted, or if the wheel is cleared or stopped
   * @throws (rejects) TypeError with code `ERR_INVALID_ARG_TYPE` if `delay` is not a number or an option is of the wrong type
   * @throws (rejects) RangeError with code `ERR_WHEEL_FULL` if there is no memory for the timer, or `ERR_WHEEL_LIMIT` if `maxPending`
   *   timers of the wheel are pending
   * @throws (rejects) Error with code `ERR_WHEEL_STOPPED` after `stop()` of the wheel
   */
  <T = void>(delay?: number, value?: T, options?: TimerOptions): Promise<T>
}

/** The type of `setImmediate` of the promises. */
export interface PromisedImmediate {
  /**
   * Waits until the event loop has done other work. On Node it is Node's own function.
   *
   * @param value the value of the promise. Default: undefined
   * @param options `signal` ends the wait; `ref: false` lets the process end during the wait
   * @returns a promise, which is fulfilled with `value`
   * @throws (rejects) AbortError with code `ABORT_ERR` if the signal is aborted
   * @throws (rejects) TypeError with code `ERR_INVALID_ARG_TYPE` if an option is of the wrong type
   */
  <T = void>(value?: T, options?: TimerOptions): Promise<T>
}

/** The type of `setInterval` of the promises. */
export interface PromisedInterval {
  /**
   * Yields `value` every `delay` milliseconds, from the first call of `next()` until `return()`, which leaving a loop `for await` calls.
   * Values that come due while no `next()` is pending are yielded afterwards.
   *
   * @param delay milliseconds from one value to the next, as in `setTimeout`. Default: 1
   * @param value what the iterator yields. Default: undefined
   * @param options `signal` ends the iteration; `ref: false` lets the process end between two values
   * @returns an async iterator without an end of its own
   * @throws (`next()` rejects) AbortError with code `ABORT_ERR` if the signal is aborted, after the values that were due before, or if
   *   the wheel is cleared or stopped
   * @throws (the first `next()` rejects) the other errors of `setTimeout`
   */
  <T = void>(delay?: number, value?: T, options?: TimerOptions): IntervalIterator<T>
}

/** `scheduler` of `node:timers/promises`: two functions of the web's scheduling proposal. */
export interface Scheduler {
  /**
   * Does the same as `setTimeout(delay, undefined, options)`.
   *
   * @param delay milliseconds, as in `setTimeout`
   * @param options `signal` ends the wait; `ref: false` lets the process end during the wait
   * @returns a promise, which is fulfilled with undefined after `delay`
   * @throws (rejects) the errors of `setTimeout`
   */
  wait(delay: number, options?: TimerOptions): Promise<void>
  /**
   * Does the same as `setImmediate()`.
   *
   * @returns a promise, which is fulfilled after the event loop has done other work
   */
  yield(): Promise<void>
}

/** The functions of `timers/promises`. Each has a type with a name, so that an editor shows its documentation at a call. */
export interface TimersPromises {
  setTimeout: PromisedTimeout
  setImmediate: PromisedImmediate
  setInterval: PromisedInterval
  /** Two functions of the web's scheduling proposal. */
  scheduler: Scheduler
}
