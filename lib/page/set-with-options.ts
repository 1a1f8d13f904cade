/** Timers of wheels that are set with options in place of a delay. */
import { checkSetOptions } from '../common/checks.js'
import { stopListening } from '../common/stop-listening.js'
import type { Scheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

/** Lets a new timer end with a signal. */
function listen(timeout: Timeout, signal: AbortSignal, scheduler: Scheduler): void {
  const { _noteNumber } = timeout
  const abort = () => timeout.close()
  // Called whenever the timer starts or ends.
  timeout._noteNumber = (isLive) => {
    _noteNumber.call(timeout, isLive)
    if (!timeout._unit || scheduler._stopped) stopListening(signal, abort)
    else if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  }
  try {
    timeout._noteNumber()
  } catch (error) {
    abort()
    throw error
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
  const options = checkSetOptions(given)
  if (!options) return new Timeout(scheduler, callback, given, state, args)
  const { delay, signal } = options
  // The handle coerces its delay. So it is set by a scheduler that gives the timer the exact one.
  const exact: Scheduler = Object.create(scheduler)
  exact._schedule = (unit, target) => scheduler._schedule(unit, target, delay)
  const timeout = new Timeout(exact, callback, 1, state, args)
  timeout._scheduler = scheduler
  timeout._ms = delay
  if (signal) listen(timeout, signal, scheduler)
  return timeout
}
