/** The methods of a handle, called on a value that is no handle, do the same as Node's, and leave nothing on it. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

/** Calls each method on each value, and prints what it returned or threw. */
const PROGRAM = `
  import { inspect } from 'node:util'
  const values = {
    object: () => ({}),
    array: () => [],
    'object without a prototype': () => Object.create(null),
    number: () => 5,
    string: () => 'text',
    boolean: () => true,
    symbol: () => Symbol('symbol'),
    bigint: () => 3n,
    undefined: () => undefined,
    null: () => null,
    'frozen object': () => Object.freeze({}),
    'object that cannot be extended': () => Object.preventExtensions([]),
    proxy: () => new Proxy({}, {}),
    'revoked proxy': () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy },
    'proxy that throws': () => new Proxy({}, { get() { throw new Error('get') }, set() { throw new Error('set') } }),
    function: () => () => {},
    class: () => class {},
    'object with the fields of a handle': () => ({ _record: 64, _order: -1, _self: () => { throw new Error('self') } }),
    promise: () => Promise.resolve(),
  }
  const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
  const methods = ['ref', 'unref', 'hasRef', 'refresh', 'close', Symbol.toPrimitive, dispose]
  const keysOf = (value) => { try { return Reflect.ownKeys(value) } catch { return [] } }
  const handle = setTimeout(() => {}, 1)
  for (const method of methods) for (const [name, make] of Object.entries(values)) {
    const value = make()
    const before = keysOf(value)
    let outcome
    try {
      const returned = handle[method].call(value)
      outcome = returned === value ? 'itself' : inspect(returned)
    } catch (error) {
      outcome = [error.constructor.name, error.code, error.message].join(' ')
    }
    console.log(String(method), name, outcome)
    if (entry !== 'node:timers' && keysOf(value).length !== before.length) console.log('left', keysOf(value))
  }
  clearTimeout(handle)`

const on = (entry: string, body: string) =>
  run(
    `
    import * as timers from '${entry}'
    const { setTimeout, clearTimeout, setInterval } = timers
    const entry = '${entry}'
    const log = (...values) => console.log(...values)
    ${body}`,
    [],
    virtualClock(),
  )

async function expectLikeNative(body: string): Promise<void> {
  const [native, ...ours] = await Promise.all(['node:timers', ...ENTRIES].map((entry) => on(entry, body)))
  expect(native).toEqual({ ...CLEAN, lines: expect.anything() })
  expect(native!.lines.length).toBeGreaterThan(0)
  expect(ours).toEqual(ENTRIES.map(() => native))
}

describe('a method of a handle', () => {
  it('returns and throws the same as that of Node, called on another value', async () => {
    await expectLikeNative(PROGRAM)
  })

  it('does the same when a next tick calls it', async () => {
    await expectLikeNative(`
      const interval = setInterval(() => log('ran', clearTimeout(interval)), 1)
      process.nextTick(interval.unref.bind({}))
      process.nextTick(interval.refresh.bind({}))`)
  })

  it("acts on one of Node's timers and immediates", async () => {
    await expectLikeNative(`
      const { unref, ref, hasRef, close, refresh, [Symbol.toPrimitive]: number } = setTimeout(() => {}, 1)
      const timer = globalThis.setTimeout(() => log('timer'), 5)
      log(unref.call(timer) === timer, hasRef.call(timer), timer.hasRef())
      log(ref.call(timer) === timer, hasRef.call(timer), timer.hasRef())
      log(refresh.call(timer) === timer, number.call(timer) === +timer)
      const immediate = setImmediate(() => log('immediate'))
      log(ref.call(immediate) === immediate, hasRef.call(immediate), typeof number.call(immediate))
      const closed = globalThis.setTimeout(() => log('closed'), 5)
      log(close.call(closed) === closed)`)
  })

  it('leaves alone the prototype of handles and objects that were made from it', async () => {
    await expectLikeNative(`
      const prototype = Object.getPrototypeOf(setTimeout(() => {}, 1))
      for (const value of [prototype, Object.create(prototype)])
        for (const method of ['unref', 'hasRef', 'refresh', 'close']) log(method, value[method]() === value)`)
  })
})
