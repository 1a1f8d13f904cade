import { AsyncResource } from 'node:async_hooks'

/** @import { Timers } from '../contenders.mjs' */

const options = { requireManualDestroy: true }

/**
 * No timers: what Node takes for the async context of each, and no handle with such a context can do without.
 *
 * @returns {Timers}
 */
export const handles = () => {
  const set = () => new AsyncResource('Timeout', options)
  return {
    set,
    setWith: set,
    clear: (resource) => resource.emitDestroy(),
    refresh: () => {},
  }
}
