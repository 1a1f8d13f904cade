/** What `stats()` returns. */

/**
 * The counts of a wheel. All but `pending` and `bytes` only grow.
 *
 * The sum of `scheduled` and the runs of intervals is that of `fired`, `cancelled` and `pending`, except in the callback of an
 * interval, which is not pending then. A `TimeoutMap` counts as an interval: it is set when an entry can expire, each call of
 * `onExpire` or `dispose` by it is a run, and it is cancelled when its timer finds no entry that can expire.
 */
export interface WheelStats {
  /** Pending timers. */
  pending: number
  /** Timers that were set, also by `refresh()` of a timer that has run. An interval counts once. */
  scheduled: number
  /** Calls of callbacks. */
  fired: number
  /** Timers that were cleared, cancelled, or pending when the wheel was stopped. */
  cancelled: number
  /** Slices that took at least twice the budget, because a callback took long, or under overload. */
  overruns: number
  /** The memory of the wheel in bytes, with its arrays of callbacks and arguments, but without handles. 0 after `stop()`. */
  bytes: number
  /** How late callbacks were called. Only on Node, with `{ measure: true }`. */
  lateness?: Lateness
  /** The callback that took longest, and its milliseconds. Only on Node, with `{ measure: true }`, after the first callback. */
  slowest?: { name: string; duration: number }
}

/** Milliseconds from the due times to the calls. All fields are 0 before the first value. A percentile is right within 9 %. */
export interface Lateness {
  count: number
  mean: number
  p50: number
  p99: number
  max: number
}
