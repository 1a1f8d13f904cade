import retimer from 'retimer'

/** @import { Timers } from './index.mjs' */

/**
 * One native timer for each timer. Rescheduling to a later deadline is one store.
 *
 * @returns {Timers}
 */
export const handles = () => ({
  set: (fn, delay) => retimer(fn, delay),
  setWith: (fn, delay, arg) => retimer(fn, delay, arg),
  clear: (timer) => timer.clear(),
  refresh: (timer, delay) => timer.reschedule(delay),
})
