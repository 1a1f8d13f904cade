/** The functions of `timers/promises` in a page. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'
import { type Aborts, promisedTimersOn, settle } from '../common/promises.js'
import { ONCE, REPEATS } from './handle-state.js'
import type { PageHost } from './host.js'
import type { TimerScheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

export function promisesOn(open: () => TimerScheduler, { _soon }: PageHost, aborts?: Aborts): TimersPromises {
  return promisedTimersOn(
    (callback, delay, repeats, args) => new Timeout(open(), callback, delay, repeats ? REPEATS : ONCE, args),
    function setImmediate<T = void>(value?: T, options: TimerOptions = {}): Promise<T> {
      return settle((resolve) => _soon(() => resolve(value)) as undefined, options)
    },
    aborts,
  )
}
