/** The public types: those that programs write, and those that a compiler must name in declarations of what the functions return. */
export type * from './api/channels.js'
export type * from './api/group.js'
export type * from './api/signal.js'
export type * from './api/stats.js'
// Both kinds of handles, for the entries of pages too: all builds export the same types.
export type { PageTimeout, Timeout } from './api/timeout.js'
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
export type * from './api/timers-promises.js'
export type {
  PendingTimer,
  SetIntervalOptions,
  SetTimeoutOptions,
  TimerWheelConstructor,
  TimerWheelOptions,
} from './api/wheel.js'
