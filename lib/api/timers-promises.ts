/** The functions of `timers/promises`. */

/** The part of `AbortSignal` that this package uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The runtime's `AbortSignal` if the program is compiled with the runtime's types; otherwise {@link AbortSignalLike}. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : AbortSignalLike

/** Options of the promises. */
export interface TimerOptions {
  /** Ends the wait: the promise is rejected with an `AbortError`, whose `cause` is the signal's reason. */
  signal?: Signal | undefined
  /** Whether the timer keeps the process alive. Default: as the option `unref` of the wheel says. No effect in pages. */
  ref?: boolean | undefined
}

/** The async iterator of an interval. */
export interface IntervalIterator<T> extends AsyncIteratorObject<T, undefined, unknown> {
  [Symbol.asyncIterator](): IntervalIterator<T>
}

/** `scheduler` of `node:timers/promises`: two functions of the web's scheduling proposal. */
export interface Scheduler {
  /** Does the same as `setTimeout(delay, undefined, options)`. */
  wait(delay: number, options?: TimerOptions): Promise<void>
  /** Does the same as `setImmediate()`. */
  yield(): Promise<void>
}

/** The functions of `timers/promises`. */
export interface TimersPromises {
  /**
   * Fulfils with `value` after `delay`. O(1).
   *
   * @param delay milliseconds. A value below 1, above 2^31 - 1 or NaN becomes 1, with Node's warnings
   * @returns a promise. It is rejected with an `AbortError` (code `ABORT_ERR`) if the signal is aborted, and with a
   *   TypeError (code `ERR_INVALID_ARG_TYPE`) if `delay` is not a number or an option is of the wrong type
   */
  setTimeout<T = void>(delay?: number, value?: T, options?: TimerOptions): Promise<T>
  /** Fulfils with `value` after the event loop has done other work. It is rejected as `setTimeout` is. */
  setImmediate<T = void>(value?: T, options?: TimerOptions): Promise<T>
  /**
   * Yields `value` every `delay` milliseconds, from the first call of `next()` until `return()`. Values that come due while
   * no `next()` is pending are yielded afterwards. The first `next()` rejects as `setTimeout` does.
   */
  setInterval<T = void>(delay?: number, value?: T, options?: TimerOptions): IntervalIterator<T>
  /** Two functions of the web's scheduling proposal. */
  scheduler: Scheduler
}
