/** Faults that the comparison must find. Each one changes a module of timers. */
'use strict'
const { AsyncResource } = require('node:async_hooks')

const prototypeOf = ({ setTimeout, clearTimeout }) => {
  const handle = setTimeout(() => {}, 1)
  clearTimeout(handle)
  return Object.getPrototypeOf(handle)
}

/** Calls another function instead of each function of the module that sets timers. */
const withSetters = (wrap) => (timers) => ({
  ...timers,
  setTimeout: (...args) => wrap(timers.setTimeout, ...args),
  setInterval: (...args) => wrap(timers.setInterval, ...args),
})

const withMethod = (name, method) => (timers) => {
  // Also if the class of handles has its own method, which copied the one of its parent.
  for (let object = prototypeOf(timers); object !== null; object = Object.getPrototypeOf(object)) {
    if (Object.hasOwn(object, name)) object[name] = method
  }
  return timers
}

const root = new AsyncResource('root')

function ignore() {
  return this
}

/** @type {Record<string, (timers: object) => object>} */
exports.FAULTS = {
  'runs every timer a millisecond late': withSetters((set, callback, delay, ...args) =>
    set(callback, delay + 1, ...args),
  ),
  'forgets arguments': withSetters((set, callback, delay) => set(callback, delay)),
  'loses the async context': withSetters((...args) => root.runInAsyncScope(args.shift(), undefined, ...args)),
  'ignores refresh()': withMethod('refresh', ignore),
  'ignores unref()': withMethod('unref', ignore),
  'tells nobody that a resource is destroyed': withMethod('emitDestroy', ignore),
  'does not clear by text': (timers) => ({
    ...timers,
    clearTimeout: (timer) => typeof timer !== 'string' && timers.clearTimeout(timer),
  }),
  'ends an interval whose callback throws': withSetters((set, callback, ...rest) => {
    const timer = set(
      (...args) => {
        try {
          callback.apply(timer, args)
        } catch (error) {
          timer.close()
          throw error
        }
      },
      ...rest,
    )
    return timer
  }),
  'runs microtasks before next ticks': (timers) => {
    const { nextTick } = process
    process.nextTick = (callback) => queueMicrotask(() => nextTick.call(process, callback))
    return timers
  },
  'does not warn of a delay that is too long': (timers) => {
    process.emitWarning = () => {}
    return timers
  },
}
