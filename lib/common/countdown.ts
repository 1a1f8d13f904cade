/** The timer of a signal or of a promise, on the wheels of Node and of pages. */

export interface Countdown {
  /** Ends the timer. Without effect if it is not pending. */
  _clear(): void
  /** Starts a delay from now: the given one, or the last. Without effect if the timer is not pending. */
  _refresh(delay?: number): void
}

/**
 * Sets a timer that calls `callback`.
 *
 * @param argument the argument with which `stop()` returns the callback
 * @param unref whether the timer lets the process end
 */
export type StartCountdown = (
  callback: () => void,
  delay: number,
  argument: unknown,
  unref: boolean,
) => Countdown
