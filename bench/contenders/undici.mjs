import timers from 'undici/lib/util/timers.js'

/** @import { Timers } from './index.mjs' */

/**
 * undici's timers for its own connections: a list that is looked through twice a second, so that a refresh is a store.
 * They run up to a second late.
 *
 * @returns {Timers}
 */
export const handles = () => ({
  set: (fn, delay) => timers.setFastTimeout(fn, delay),
  setWith: (fn, delay, arg) => timers.setFastTimeout(fn, delay, arg),
  clear: (timer) => timers.clearFastTimeout(timer),
  refresh: (timer) => timer.refresh(),
})
