/** The public types: those that programs write, and those that a compiler must name in declarations of what the functions return. */
export type * from './api/channels.js'
export type * from './api/group.js'
export type * from './api/signal.js'
export type * from './api/stats.js'
// The entries for pages have another type under this name.
export type { Timeout } from './api/timeout.js'
// Entries have a constant named TimeoutMap. Under this name, declarations written by a compiler can name what it makes.
export type {
  TimeoutMap as ExpiringMap,
  TimeoutMapConstructor,
  TimeoutMapOptions,
} from './api/timeout-map.js'
export type {
  ClearTimeout,
  Configure,
  PendingTimers,
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
