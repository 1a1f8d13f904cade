/** Node's own timers beside the package, timers of one build beside the other build, and our methods on values that are no handles. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { runNode } from './child.js'
import { eachLikeNative } from './like-native.js'
import { printsInOneProcess } from './prints.js'

// Each in its own processes, because Node counts references of all values.
describe('a method of a handle', () => {
  eachLikeNative(`
    # returns and throws the same as that of Node, called on another value, and leaves nothing on it
    const values = [
      () => ({}), () => [], () => Object.create(null), () => () => {}, () => class {}, () => Promise.resolve(),
      () => 5, () => 'text', () => true, () => Symbol('symbol'), () => 3n, () => undefined, () => null,
      () => Object.freeze({}), () => Object.preventExtensions([]), () => new Proxy({}, {}),
      () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy },
      () => new Proxy({}, { get() { throw new Error('get') }, set() { throw new Error('set') } }),
      // Fields of a handle.
      () => ({ _record: 64, _order: -1, _self: () => { throw new Error('self') } }),
    ]
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
    const keysOf = (value) => { try { return Reflect.ownKeys(value) } catch { return [] } }
    const handle = setTimeout(() => {}, 1)
    for (const method of ['ref', 'unref', 'hasRef', 'refresh', 'close', Symbol.toPrimitive, dispose]) for (const make of values) {
      const value = make()
      const before = keysOf(value)
      try {
        const returned = handle[method].call(value)
        log(method, String(make), returned === value ? 'itself' : returned)
      } catch (error) {
        log(method, String(make), error.constructor.name, error.code, error.message)
      }
      if (entry !== 'node:timers' && keysOf(value).length !== before.length) log('left', keysOf(value))
    }
    clearTimeout(handle)
    # does the same when a next tick calls it
    const interval = setInterval(() => log('ran', clearTimeout(interval)), 1)
    process.nextTick(interval.unref.bind({}))
    process.nextTick(interval.refresh.bind({}))
    # acts on one of Node's timers and immediates
    const { unref, ref, hasRef, close, refresh, [Symbol.toPrimitive]: number } = setTimeout(() => {}, 1)
    const timer = globalThis.setTimeout(() => log('timer'), 5)
    log(unref.call(timer) === timer, hasRef.call(timer), timer.hasRef())
    log(ref.call(timer) === timer, hasRef.call(timer), timer.hasRef())
    log(refresh.call(timer) === timer, number.call(timer) === +timer)
    const immediate = setImmediate(() => log('immediate'))
    log(hasRef.call(immediate))
    const closed = globalThis.setTimeout(() => log('closed'), 5)
    log(close.call(closed) === closed)
    # leaves alone the prototype of handles and objects that were made from it
    const prototype = Object.getPrototypeOf(setTimeout(() => {}, 1))
    for (const value of [prototype, Object.create(prototype)])
      for (const method of ['unref', 'hasRef', 'refresh', 'close']) log(method, value[method]() === value)`)
})

describe.each(ENTRIES)('%s', (entry) => {
  printsInOneProcess({
    prelude: `
      import * as ours from '${entry}'
      import * as other from '${ENTRIES.find((other) => other !== entry)}'
      const { TimerWheel } = ours
      const late = (what) => console.log('ran:', what)`,
    env: virtualClock(),
  })(`
    # clears timers of the other build by handle and number
    ours.clearTimeout(other.setTimeout(late, 10, 'the other'))
    ours.clearTimeout(+other.setTimeout(late, 10, 'the other by number'))
    # gives no handle the number of one of Node's timers
    const plain = new TimerWheel({ asyncContext: false })
    const timers = Array.from({ length: 300 }, (_, i) => [ours, globalThis, plain][i % 3].setTimeout(() => {}, 5))
    if (new Set(timers.map(Number)).size !== 300) late('equal numbers')
    // The same if the numbers are read in another order.
    const later = Array.from({ length: 300 }, (_, i) => [globalThis, plain, ours][i % 3].setTimeout(() => {}, 5))
    if (new Set([...timers, ...later].reverse().map(Number)).size !== 600) late('equal numbers')`)
})

// After an exception Node runs the next timer of the same delay before queued work. A timer in between reverses this order, even if it
// has no callback.
it.each(['', ...ENTRIES])('leaves the order of work around an import: %s', async (entry) => {
  const program = `
    process.on('uncaughtException', () => {})
    setTimeout(() => {
      Promise.resolve().then(() => console.log('queued work'))
      throw new Error('expected')
    }, 1)
    if ('${entry}' !== '') require('${entry}')
    setTimeout(() => console.log('second timer'), 1)`
  const outcome = await runNode(['--eval', program], virtualClock())
  expect(outcome).toEqual({ ...CLEAN, lines: ['second timer', 'queued work'] })
})
