/**
 * Makes a host's classes of handles: with or without an async context, on the wheel's scheduler or on a shared one. Separate
 * classes let V8 see one kind of object on each path.
 */
import type { Host } from '../host/host.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { NoContext } from './async-base.js'
import { defineLazily } from './define-lazily.js'
import { timeoutClass } from './timeout.js'
import type { TimeoutConstructor } from './timeout-types.js'

export interface TimeoutClasses {
  /** Callbacks run in the async context of the call that set them, if the host has contexts. */
  readonly context: TimeoutConstructor
  /** Callbacks run without a context. */
  readonly plain: TimeoutConstructor
}

export function timeoutClasses(host: Host): TimeoutClasses {
  // A class is made when it is first needed, because most programs need only one.
  const classes = {}
  defineLazily(classes, 'context', () => contextTimeoutClass(host))
  defineLazily(classes, 'plain', () => timeoutClass(host, NoContext, undefined))
  return classes as TimeoutClasses
}

/**
 * Makes a class of handles whose callbacks run in the async context of the call that set them.
 *
 * @param shared opens the scheduler that all handles of the class share, when it is first needed. Then the scheduler is a
 *   property of the prototype, not a field of the handle: with many timers the read of a field is a cache miss
 */
export function contextTimeoutClass(host: Host, shared?: () => Scheduler): TimeoutConstructor {
  return timeoutClass(host, host.AsyncContext, shared)
}
