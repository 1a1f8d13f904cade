/** The messages of the channels `timeout-wheel:expire` and `timeout-wheel:overrun` of `node:diagnostics_channel`. */

/**
 * The message of `timeout-wheel:expire`: a callback has run. Only on Node. Subscribers run outside of the async context of
 * the callback. A wheel asks once in each slice whether there are any.
 */
export interface ExpireMessage {
  /** The option `name` of the wheel; `'shared'` for the wheel of `setTimeout`. */
  wheel: string
  /** The callback that has run, or that of the group. It can have thrown. */
  callback: (...args: never[]) => unknown
  /** Milliseconds from the deadline, which is the end of a tick, to the call. */
  lateness: number
  /** Milliseconds that the call took, without the next ticks and microtasks that it queued. */
  duration: number
}

/** The message of `timeout-wheel:overrun`: a slice took at least twice the budget. Only on Node. */
export interface OverrunMessage {
  /** As in {@link ExpireMessage}. */
  wheel: string
  /** The budget of the wheel in milliseconds. */
  budget: number
  /** Milliseconds that the slice took. */
  duration: number
  /** The number of callbacks that ran in it. */
  callbacks: number
  /** The callback that took longest, and how long. */
  slowest: Pick<ExpireMessage, 'callback' | 'duration'>
}
