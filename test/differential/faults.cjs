/** Faults that the comparison must find. Each one changes a module of timers. */
'use strict'
const { AsyncResource } = require('node:async_hooks')

/** Calls another function instead of each function of the module that sets timers. */
const withSetters = (wrap) => (timers) => ({
  ...timers,
  setTimeout: (...args) => wrap(timers.setTimeout, ...args),
  setInterval: (...args) => wrap(timers.setInterval, ...args),
})

const root = new AsyncResource('root')

/** @type {Record<string, (timers: object) => object>} */
exports.FAULTS = {
  'runs every timer a millisecond late': withSetters((set, callback, delay, ...args) =>
    set(callback, delay + 1, ...args),
  ),
  'loses the async context': withSetters((...args) => root.runInAsyncScope(args.shift(), undefined, ...args)),
  'does not clear by text': (timers) => ({
    ...timers,
    clearTimeout: (timer) => typeof timer !== 'string' && timers.clearTimeout(timer),
  }),
}
