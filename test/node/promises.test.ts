/**
 * Every test runs on Node's functions of `timers/promises` and on ours on both builds. So the tests demand only what Node
 * does. If lines of Node differ, the tests read the expected value from Node at run time.
 */

import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import { inspect, promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import * as addon from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'
import { BAD_VALUES, IMPLEMENTATIONS, outcome, type Promises, rejection } from './promise-subjects.js'

describe.each(IMPLEMENTATIONS)('$name', ({ promises, setTimeout }) => {
  const { scheduler, setImmediate } = promises

  describe('setTimeout', () => {
    it('fulfils with its value once the delay has passed', async () => {
      const started = performance.now()
      expect(await promises.setTimeout(20, 'value')).toBe('value')
      // Node's timers may be one millisecond early. test/contract checks that ours never are.
      expect(performance.now() - started).toBeGreaterThanOrEqual(19)
    })

    it('fulfils with undefined if no value is given', async () => {
      expect(await promises.setTimeout()).toBeUndefined()
      expect(await promises.setTimeout(1)).toBeUndefined()
      expect(await promises.setTimeout(undefined, undefined, {})).toBeUndefined()
    })

    it('follows a value that is a promise', async () => {
      expect(await promises.setTimeout(1, Promise.resolve('inner'))).toBe('inner')
      const error = new Error('inner')
      const rejected = Promise.reject(error)
      rejected.catch(() => {})
      expect(await rejection(promises.setTimeout(1, rejected))).toBe(error)
    })

    it.each([0, -5, 0.5, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])(
      'treats a delay of %p as one millisecond',
      async (delay) => {
        expect(await promises.setTimeout(delay, 'value')).toBe('value')
      },
    )

    it('runs in one order with callback timers', async () => {
      const order: string[] = []
      setTimeout(() => order.push('callback 1'), 10)
      const first = promises.setTimeout(10).then(() => order.push('promise 1'))
      setTimeout(() => order.push('callback 2'), 10)
      const second = promises.setTimeout(10).then(() => order.push('promise 2'))
      await Promise.all([first, second])
      expect(order).toEqual(['callback 1', 'promise 1', 'callback 2', 'promise 2'])
    })

    it.each(BAD_VALUES.filter(([, value]) => typeof value !== 'number'))(
      'rejects %s as a delay',
      async (_name, value) => {
        expect(await outcome(() => promises.setTimeout(value as number))).toEqual(
          await outcome(() => native.setTimeout(value as number)),
        )
        const { code, message } = await rejection(promises.setTimeout(value as number))
        expect(code).toBe('ERR_INVALID_ARG_TYPE')
        expect(message).toMatch(/^The "delay" argument must be of type number\. Received /)
      },
    )

    it('checks the delay first, then the options, then the signal, then ref', async () => {
      const options = { signal: 1, ref: 1 } as unknown as addon.TimerOptions
      const codes = async (call: Promise<unknown>) => (await rejection(call)).message.split(' must ')[0]
      expect(await codes(promises.setTimeout('1' as unknown as number, 0, options))).toBe(
        'The "delay" argument',
      )
      expect(await codes(promises.setTimeout(1, 0, options))).toBe('The "options.signal" property')
      const { signal } = new AbortController()
      expect(await codes(promises.setTimeout(1, 0, { ...options, signal }))).toBe(
        'The "options.ref" property',
      )
      expect(
        await codes(promises.setTimeout(1, 0, { ref: 1 as unknown as boolean, signal: AbortSignal.abort() })),
      ).toBe('The "options.ref" property')
    })
  })

  describe('setImmediate', () => {
    it('fulfils with its value', async () => {
      expect(await setImmediate('value')).toBe('value')
      expect(await setImmediate()).toBeUndefined()
    })

    it("is Node's own function, which util.promisify(setImmediate) returns too", () => {
      expect(setImmediate).toBe(promisify(nativeTimers.setImmediate))
    })
  })

  describe('scheduler', () => {
    it('waits, and yields', async () => {
      expect(await scheduler.wait(1)).toBeUndefined()
      expect(await scheduler.yield()).toBeUndefined()
    })

    it('has a class that programs cannot construct', async () => {
      const make = (of: Promises) => () => Reflect.construct(of.scheduler.constructor, [])
      expect(await outcome(make(promises))).toEqual(await outcome(make(native)))
      expect(make(promises)).toThrow('Illegal constructor')
    })

    it.each([
      ['another object', {}],
      ['undefined', undefined],
    ])('refuses %s as its this', async (_name, self) => {
      for (const method of ['wait', 'yield'] as const) {
        const call = async (of: Promises) => outcome(() => (of.scheduler[method] as () => unknown).call(self))
        const result = await call(promises)
        expect(result).toEqual(await call(native))
        expect(result).toHaveProperty('threw.name', 'TypeError')
      }
    })
  })

  it('has functions and a scheduler of the same shape as natively', () => {
    const shape = (of: Promises) => ({
      functions: [of.setTimeout, of.setImmediate, of.setInterval].map((fn) => [
        fn.name,
        fn.length,
        Object.prototype.toString.call(fn),
      ]),
      scheduler: inspect(of.scheduler),
      methods: Object.getOwnPropertyNames(Object.getPrototypeOf(of.scheduler)).sort(),
      lengths: [of.scheduler.wait.length, of.scheduler.yield.length],
      iterator: Object.prototype.toString.call(of.setInterval()),
    })
    expect(shape(promises)).toEqual(shape(native))
  })
})

describe.each([
  ['native', addon],
  ['wasm', wasm],
] as const)('util.promisify on %s', (_name, entry) => {
  it('returns the promise function, as natively', async () => {
    const promised = promisify(entry.setTimeout as unknown as typeof nativeTimers.setTimeout)
    expect(promised).toBe(entry.promises.setTimeout)
    expect(await promised(1, 'value')).toBe('value')
  })

  it('finds it in a property of the same kind as natively', () => {
    const ofNative = Object.getOwnPropertyDescriptor(nativeTimers.setTimeout, promisify.custom)!
    const ofOurs = Object.getOwnPropertyDescriptor(entry.setTimeout, promisify.custom)!
    const kind = ({ get, ...rest }: PropertyDescriptor) => ({ ...rest, get: typeof get, name: get?.name })
    expect(kind(ofOurs)).toEqual(kind(ofNative))
  })
})
