/**
 * Programs with packages whose timers are many, and with code of that kind.
 *
 * @typedef {object} Program
 * @property {string} id
 * @property {string} label
 * @property {string} [own]  What of this package does the same, if there is more to use than `setTimeout`.
 * @property {() => Promise<Works>} load
 *
 * @typedef {object} Works  The program, which ends when none of its timers is pending.
 * @property {() => Promise<void>} package  With the timers of the process.
 * @property {() => Promise<void>} [own]
 */

/** @type {Program[]} */
export const programs = [
  {
    id: 'lru-one',
    label: 'lru-cache, one ttl',
    own: 'TimeoutMap',
    load: async () => (await import('./lru-cache.mjs')).oneTtl,
  },
  {
    id: 'lru-distinct',
    label: 'lru-cache, distinct ttls',
    own: 'TimeoutMap',
    load: async () => (await import('./lru-cache.mjs')).distinctTtls,
  },
  {
    id: 'p-timeout',
    label: 'p-timeout',
    own: 'withTimeout',
    load: async () => (await import('./p-timeout.mjs')).timeLimits,
  },
  {
    id: 'debounce',
    label: 'debounced map',
    own: 'timerGroup',
    load: async () => (await import('./debounce.mjs')).debouncedMap,
  },
  {
    id: 'idle',
    label: 'idle timers',
    own: 'timerGroup',
    load: async () => (await import('./idle.mjs')).idleTimers,
  },
  {
    id: 'expiry',
    label: 'expiry of 200,000 timers',
    own: 'schedule',
    load: async () => (await import('./expiry.mjs')).expiry,
  },
]
