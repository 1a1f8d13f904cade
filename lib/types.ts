/** The public types. Every entry for timers exports all of them. */
export type { ExpireMessage, OverrunMessage } from './api/channels.js'

export type { TimerGroup, TimerGroupFunction, TimerGroupOptions } from './api/group.js'
export type { ClearImmediate, Immediate, SetImmediate } from './api/immediate.js'
export type {
  MakeTimeoutSignal,
  TimeoutSignal,
  TimeoutSignalOptions,
  WithTimeout,
  WithTimeoutOptions,
} from './api/signal.js'
export type { Lateness, PageStats, WheelStats } from './api/stats.js'
// Both kinds of handles, for the entries of pages too: all builds export the same types.
export type { PageTimeout, Timeout, Timeout as NodeTimeout, TimeoutLike } from './api/timeout.js'
// Entries have a constant named TimeoutMap. Under this name, declarations written by a compiler can name what it makes.
export type {
  TimeoutMap as ExpiringMap,
  TimeoutMapConstructor,
  TimeoutMapOptions,
} from './api/timeout-map.js'
export type {
  ClearTimeout,
  Configure,
  SetInterval,
  SetLongTimeout,
  SetTimeout,
  SharedWheelOptions,
  Stats,
} from './api/timers.js'
export type {
  IntervalIterator,
  PromisedImmediate,
  PromisedInterval,
  PromisedTimeout,
  Scheduler,
  TimerOptions,
  TimersPromises,
} from './api/timers-promises.js'
export type {
  ScheduleOptions,
  SetIntervalOptions,
  SetTimeoutOptions,
  TimerWheelConstructor,
  TimerWheelOptions,
  UnexpiredTimer,
} from './api/wheel.js'
