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

class WrittenResource extends AsyncResource {
  written = 0
}

/**
 * No timers: what it takes to write into an object with an async context, which a handle that is refreshed has to do.
 *
 * @returns {Timers}
 */
export const written = () => {
  const set = () => new WrittenResource('Timeout', options)
  let writes = 0
  return {
    set,
    setWith: set,
    clear: (resource) => resource.emitDestroy(),
    refresh: (resource) => {
      writes = (writes + 1) | 0
      resource.written = writes
    },
  }
}
