/** Timers of wheels that are set with options instead of a delay. */
import { checkSetOptions } from '../common/checks.js'
import { steadyRuns } from '../common/steady-runs.js'
import { REPEATS } from './handle-state.js'
import type { Scheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

/** Lets a new interval not drift. Its first argument becomes the number of missed runs. */
function keepSteady(timeout: Timeout, scheduler: Scheduler): void {
  const { _expire, _end, _keepNumber } = timeout
  const runs = steadyRuns()
  timeout._expire = () => {
    const now = scheduler._readClock()
    const delay = Math.max(timeout._ms / scheduler._tick!, 1)
    timeout._args[0] = runs._begin(scheduler._due(timeout._unit), now, delay)
    _expire.call(timeout)
  }
  timeout._end = () => {
    runs._end()
    // Undefined if the callback has cleared the interval.
    if (timeout._args) timeout._args[0] = 0
    _end.call(timeout, runs._due)
  }
  // Only `refresh` says that the timer is live.
  timeout._keepNumber = (isLive) => {
    if (isLive) runs._restart()
    _keepNumber.call(timeout, isLive)
  }
}

/** Sets a timer. @param given the delay, or options */
export function set(
  scheduler: Scheduler,
  callback: (...args: never[]) => unknown,
  given: unknown,
  state: number,
  args: unknown[] | undefined,
): Timeout {
  const options = checkSetOptions(given, state & REPEATS)
  if (!options) return new Timeout(scheduler, callback, given, state, args)
  const { delay, drift } = options
  const timeout = new Timeout(scheduler, callback, delay, state, drift ? args : [0, ...(args ?? [])], true)
  if (!drift) keepSteady(timeout, scheduler)
  return timeout
}
