/** The public types, the same at every entry. */

export type { Immediate } from '../immediates.js'
export type { Timeout, TimeoutLike } from '../timeout.js'
export type { SharedWheelOptions } from '../timers.js'
export type { IntervalIterator, Scheduler, TimerOptions, TimersPromises } from '../timers_promises.js'
export type { TimerWheelConstructor, TimerWheelOptions, UnexpiredTimer } from '../wheel.js'
