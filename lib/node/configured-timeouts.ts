/** The class of handles of a wheel with the option `maxPending` or `unref`. */
import type { TimeoutConstructor } from './handles/state.js'
import { ConfiguredScheduler } from './scheduler/configured-scheduler.js'
import type { Scheduler } from './scheduler/scheduler.js'

/** Returns a constructor of handles that heeds the options of the wheel. */
export function timeoutsOf(scheduler: Scheduler, Timeout: TimeoutConstructor): TimeoutConstructor {
  if (!(scheduler instanceof ConfiguredScheduler)) return Timeout
  const { isUnref } = scheduler
  // An arrow function is no constructor. `new` returns the object that this function returns.
  function Configured(...[callback, delay, state, args]: ConstructorParameters<TimeoutConstructor>) {
    // Before the handle is made, so that async hooks see no refused timer.
    if (typeof callback === 'function') scheduler.checkRoom()
    const timeout = new Timeout(callback, delay, state, args, scheduler)
    return isUnref ? timeout.unref() : timeout
  }
  return Configured as unknown as TimeoutConstructor
}
