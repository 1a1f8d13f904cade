import { clearTimeout, setTimeout } from 'worker-timers'

/** @import { Timers } from './index.mjs' */

/**
 * The timers of a web worker. The first call starts the worker, and throws if the platform has no web workers, as in Node.
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
