/** Deadlines as signals, and promises with a deadline. */

/** The part of `AbortSignal` that this package uses. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The runtime's `AbortSignal` if the program is compiled with the runtime's types; otherwise {@link AbortSignalLike}. */
export type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : AbortSignalLike

/**
 * An `AbortSignal` with a timer. While the timer is pending, the wheel keeps the signal and its listeners. Its methods need no `this`.
 */
export interface TimeoutSignal extends Signal, Disposable {
  /** Ends the timer. Idempotent. O(1). */
  clear(): void
  /**
   * Starts the delay again from now. No effect after `clear()`, the abort, and `stop()` of the wheel. O(1).
   *
   * @param delay a new delay, as in `TimerWheel.signal`. Default: the current delay
   * @throws TypeError if `delay` is not a number, RangeError if it is out of range
   */
  refresh(delay?: number): this
}

/** Options of a signal with a timer. */
export interface TimeoutSignalOptions {
  /** Whether the process may end while the timer is pending. Default: true, on every wheel. */
  unref?: boolean | undefined
}

/** Options of `withTimeout`. */
export interface WithTimeoutOptions {
  /** Ends the wait: the promise is rejected with an `AbortError`, whose `cause` is the signal's reason. */
  signal?: Signal | undefined
  /** Whether the process may end while the timer is pending. Default: false. */
  unref?: boolean | undefined
}

/** The type of `timeoutSignal`. */
export interface MakeTimeoutSignal {
  /**
   * Makes a signal that is aborted after `delay`, on the shared wheel: see `TimerWheel.signal`.
   *
   * @param delay milliseconds from 0 to 2^53 - 1
   */
  (delay: number, options?: TimeoutSignalOptions): TimeoutSignal
}

/** The type of `withTimeout`. */
export interface WithTimeout {
  /**
   * Returns a promise with the outcome of `promise`, if that is settled within `delay`. Else it is rejected with a
   * `TimeoutError`, and the work behind `promise` goes on. A later rejection of `promise` is not unhandled. O(1).
   *
   * @param promise anything that `await` accepts, but not a function that returns a promise
   * @param delay milliseconds from 0 to 2^53 - 1
   * @returns a promise. After the delay, it is rejected with a `TimeoutError`, a `DOMException` whose message tells the delay. If the
   *   signal is aborted, it is rejected with an `AbortError` (code `ABORT_ERR`)
   */
  <T>(promise: T, delay: number, options?: WithTimeoutOptions): Promise<Awaited<T>>
}
