/** The functions of `timers/promises` on Node. */
import type { TimersPromises } from '../api/timers-promises.js'
import { type Aborts, promisedTimersOn } from '../common/promises.js'
import { ONCE, REPEATS, type TimeoutConstructor } from './handles/state.js'
import type { Host } from './host/host.js'
import type { Scheduler } from './scheduler/scheduler.js'

/**
 * @param Timeout the class of the wheel's handles
 * @param scheduler of a wheel of the program; the handles of the shared wheel find theirs
 */
export function promisesOn(
  { promisedImmediate }: Host,
  Timeout: TimeoutConstructor,
  scheduler?: Scheduler,
  aborts?: Aborts,
): TimersPromises {
  return promisedTimersOn(
    (callback, delay, repeats, args, ref) => {
      const timeout = new Timeout(callback, delay, repeats ? REPEATS : ONCE, args, scheduler)
      if (ref === false) timeout.unref()
      else if (ref) timeout.ref()
      return timeout
    },
    promisedImmediate,
    aborts,
  )
}
