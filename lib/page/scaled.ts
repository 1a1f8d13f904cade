/**
 * Wheels of a page whose ticks are not 1 ms. A scheduler counts in ticks; here it gets delays in milliseconds. The shared wheel
 * needs none of this.
 */
import { ROUNDING_ERROR } from '../common/ticks.js'
import type { Scheduler } from './scheduler-types.js'

/** Lets a scheduler take delays in milliseconds. Then each operation reads the clock. */
export function scale(scheduler: Scheduler, tick: number): void {
  const { _schedule, _clock } = scheduler
  scheduler._schedule = (unit, target, ms, argument, started = _clock()) => {
    const whole = Math.floor(started)
    const due = Math.ceil((started + ms / tick) * (1 - ROUNDING_ERROR))
    // From a whole tick, and whole ticks: the scheduler adds them without an error.
    return _schedule(unit, target, due - whole, argument, whole)
  }
}
