/** The messages of the channels `timeout-wheel:expire` and `timeout-wheel:overrun` of `node:diagnostics_channel`. */

/**
 * The message of `timeout-wheel:expire`: a callback has run. Only on Node. Subscribers run outside of the async context of the
 * callback. A wheel looks for subscribers once in each slice.
 */
export interface ExpireMessage {
  /** The option `name` of the wheel; `'shared'` for the wheel of `setTimeout`. */
  wheel: string
  /** The callback, or that of the group. It can have thrown. */
  callback: (...args: never[]) => unknown
  /** Milliseconds from the deadline, which is the end of a tick, to the call. */
  lateness: number
  /** Milliseconds of the call, without the next ticks and microtasks that it queued. */
  duration: number
}

/** The message of `timeout-wheel:overrun`: a slice took at least twice the budget. Only on Node. */
export interface OverrunMessage {
  /** As in {@link ExpireMessage}. */
  wheel: string
  /** The budget of the wheel. */
  budget: number
  /** Milliseconds of the slice. */
  duration: number
  /** The number of its callbacks. */
  callbacks: number
  /** The callback that took longest. */
  slowest: Pick<ExpireMessage, 'callback' | 'duration'>
}
