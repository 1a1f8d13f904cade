/** Faults that the comparison must find. Each one changes a module of timers. */
'use strict'
const { AsyncResource } = require('node:async_hooks')

const prototypeOf = ({ setTimeout, clearTimeout }) => {
  const handle = setTimeout(() => {}, 1)
  clearTimeout(handle)
  return Object.getPrototypeOf(handle)
}

/** Replaces the functions of the module that set timers. */
const withSetters = (timers, wrap) => ({
  ...timers,
  setTimeout: wrap(timers.setTimeout),
  setInterval: wrap(timers.setInterval),
})

/** @type {Record<string, (timers: object) => object>} */
exports.FAULTS = {
  'runs every timer a millisecond late': (timers) =>
    withSetters(
      timers,
      (set) =>
        (callback, delay, ...args) =>
          set(callback, delay + 1, ...args),
    ),
  'forgets arguments': (timers) => withSetters(timers, (set) => (callback, delay) => set(callback, delay)),
  'loses the async context': (timers) => {
    const root = new AsyncResource('root')
    return withSetters(
      timers,
      (set) =>
        (...args) =>
          root.runInAsyncScope(set, undefined, ...args),
    )
  },
  'ignores refresh()': (timers) => {
    prototypeOf(timers).refresh = function () {
      return this
    }
    return timers
  },
  'ignores unref()': (timers) => {
    prototypeOf(timers).unref = function () {
      return this
    }
    return timers
  },
  'does not clear by text': (timers) => ({
    ...timers,
    clearTimeout: (timer) => typeof timer !== 'string' && timers.clearTimeout(timer),
  }),
  'ends an interval whose callback throws': (timers) => ({
    ...timers,
    setInterval: (callback, ...rest) =>
      timers.setInterval(
        function (...args) {
          try {
            callback.apply(this, args)
          } catch (error) {
            this.close()
            throw error
          }
        },
        ...rest,
      ),
  }),
  'runs microtasks before next ticks': (timers) => {
    const { nextTick } = process
    process.nextTick = (callback) => queueMicrotask(() => nextTick.call(process, callback))
    return timers
  },
  'tells nobody that a resource is destroyed': (timers) => {
    // Also if the class of handles has its own method, which copied the one of its parent.
    for (let object = prototypeOf(timers); object !== null; object = Object.getPrototypeOf(object)) {
      if (Object.hasOwn(object, 'emitDestroy')) object.emitDestroy = () => {}
    }
    return timers
  },
  'does not warn of a delay that is too long': (timers) => {
    process.emitWarning = () => {}
    return timers
  },
}
