/** The public types, the same at every entry. */
export type { Timeout } from '../timeout.js'
export type { TimerWheelOptions, UnexpiredTimer } from '../wheel.js'
