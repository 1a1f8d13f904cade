import timers from 'undici/lib/util/timers.js'

/** @import { Timers } from './index.mjs' */

/**
 * The timers that undici uses for its connections: a list that is searched twice a second, so that a refresh is one store. They
 * run up to a second late.
 *
 * @returns {Timers}
 */
export const handles = () => ({
  set: (fn, delay) => timers.setFastTimeout(fn, delay),
  setWith: (fn, delay, arg) => timers.setFastTimeout(fn, delay, arg),
  clear: (timer) => timers.clearFastTimeout(timer),
  refresh: (timer) => timer.refresh(),
})
