import { clearTimeout, setTimeout } from 'worker-timers'

/** @import { Timers } from './index.mjs' */

/**
 * Timers of a web worker. The first call makes the worker, and throws where there are none, as in Node.
 *
 * @returns {Timers}
 */
export const handles = () => {
  clearTimeout(setTimeout(() => {}, 1_000))
  return {
    set: (fn, delay) => setTimeout(fn, delay),
    setWith: (fn, delay, arg) => setTimeout(() => fn(arg), delay),
    clear: (timer) => clearTimeout(timer),
    refresh: () => {
      throw new Error('worker-timers has no refresh')
    },
  }
}
