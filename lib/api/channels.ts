/** The messages of the channels of the package in `node:diagnostics_channel`. */
import type { WheelStats } from './stats.js'

/**
 * The message of `timeout-wheel:open`: a program has made a wheel, or has set the first timer of the shared wheel. Only on Node.
 * Nothing tells of the wheels that were opened before the first subscriber came.
 */
export interface OpenMessage {
  /** The option `name` of the wheel; `'shared'` for the wheel of `setTimeout`. */
  wheel: string
  /** Returns the counts of the wheel, as its method `stats()` does. A wheel is not collected while a program has this function. */
  stats(): WheelStats
}

/**
 * The message of `timeout-wheel:expire`: a callback has run. Only on Node. Subscribers run outside of the async context of the
 * callback. A wheel looks for subscribers once in each slice.
 */
export interface ExpireMessage {
  /** As in {@link OpenMessage}. */
  wheel: string
  /** The callback, or that of the group. It can have thrown. */
  callback: (...args: never[]) => unknown
  /** Milliseconds from the due time of the timer to the call. */
  lateness: number
  /** Milliseconds of the call, without the next ticks and microtasks that it queued. */
  duration: number
}

/** The message of `timeout-wheel:overrun`: a slice took at least twice the budget. Only on Node. */
export interface OverrunMessage {
  /** As in {@link OpenMessage}. */
  wheel: string
  /** The budget of the wheel. */
  budget: number
  /** Milliseconds of the slice. On the addon, with the next ticks and microtasks of its last callback. */
  duration: number
  /** The number of its callbacks. */
  callbacks: number
  /** The callback that took longest. */
  slowest: Pick<ExpireMessage, 'callback' | 'duration'>
}
