/**
 * Wheels of a page whose ticks are not 1 ms. A scheduler counts in ticks; here it gets delays in milliseconds. The
 * shared wheel needs none of this.
 */
import { ROUNDING_ERROR } from '../common/ticks.js'
import type { Scheduler } from './scheduler-types.js'

/** Returns a function that schedules as {@link Scheduler._schedule} does, with delays in milliseconds. It reads the clock in each call. */
export function scaled(scheduler: Scheduler, tick: number): Scheduler['_schedule'] {
  const { _schedule, _clock } = scheduler
  return (unit, target, ms, argument, started = _clock()) => {
    const whole = Math.floor(started)
    const sum = started + ms / tick
    // Less than a tick, also late in virtual time.
    const due = Math.max(Math.ceil(sum - Math.min(sum * ROUNDING_ERROR, 0.1)), whole + 1)
    // From a whole tick, and whole ticks: the scheduler adds them without an error.
    return _schedule(unit, target, due - whole, argument, whole)
  }
}
