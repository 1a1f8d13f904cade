/** Timers whose delay is not coerced. */
import type { TimerScheduler } from './scheduler-types.js'
import { Timeout, type TimeoutCallback } from './timeout.js'

/** Sets a timer. @param delay milliseconds from 0 to 2^53 - 1 */
export function setExact(
  scheduler: TimerScheduler,
  callback: TimeoutCallback,
  delay: number,
  state: number,
  args: unknown[] | undefined,
): Timeout {
  // The handle coerces its delay. So it is set by a scheduler that gives the timer the exact one.
  const exact: TimerScheduler = Object.create(scheduler)
  exact._schedule = (unit, target) => scheduler._schedule(unit, target, delay)
  const timeout = new Timeout(exact, callback, 1, state, args)
  timeout._scheduler = scheduler
  timeout._ms = delay
  return timeout
}
