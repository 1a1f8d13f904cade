import retimer from 'retimer'

/** @import { Timers } from './index.mjs' */

/**
 * A native timer each; rescheduling it to later is a store.
 *
 * @returns {Timers}
 */
export const handles = () => ({
  set: (fn, delay) => retimer(fn, delay),
  setWith: (fn, delay, arg) => retimer(fn, delay, arg),
  clear: (timer) => timer.clear(),
  refresh: (timer, delay) => timer.reschedule(delay),
})
