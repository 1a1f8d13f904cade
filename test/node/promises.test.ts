/**
 * Every test runs on Node's functions of `timers/promises` and on ours on both builds. So the tests demand only what Node
 * does. If lines of Node differ, the tests read the expected value from Node at run time.
 */
import { getEventListeners } from 'node:events'
import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import { inspect, promisify } from 'node:util'
import { describe, expect, it } from '@jest/globals'
import * as addon from 'timeout-wheel/native'
import * as wasm from 'timeout-wheel/wasm'

type Promises = addon.TimersPromises

interface Implementation {
  name: string
  promises: Promises
  setTimeout: (callback: () => void, delay: number) => unknown
}

const IMPLEMENTATIONS: Implementation[] = [
  { name: 'node:timers', promises: native, setTimeout: nativeTimers.setTimeout },
  { name: 'the addon', promises: addon.promises, setTimeout: addon.setTimeout },
  { name: 'wasm', promises: wasm.promises, setTimeout: wasm.setTimeout },
]

/** The longest delay, for timers that no test waits for. */
const LONG = 2 ** 31 - 1

/** Describes a value. An error is shown without its stack, which Jest changes: see promises-process.test.ts. */
function seen(value: unknown): unknown {
  if (Object.prototype.toString.call(value) !== '[object Error]') return value
  const error = value as Error
  const own = Object.fromEntries(
    Object.getOwnPropertyNames(error)
      .filter((name) => name !== 'stack')
      .map((name) => [name, Object.getOwnPropertyDescriptor(error, name)]),
  )
  return { name: error.name, own, text: String(error), type: error.constructor.name }
}

/** Returns the outcome of a call: the error that it throws, or the result of its promise. */
async function outcome(call: () => unknown): Promise<unknown> {
  let promise: unknown
  try {
    promise = call()
  } catch (error) {
    return { threw: seen(error) }
  }
  try {
    return { fulfilled: seen(await promise) }
  } catch (error) {
    return { rejected: seen(error) }
  }
}

async function rejection(promise: Promise<unknown>): Promise<NodeJS.ErrnoException> {
  try {
    await promise
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
  throw new Error('it was not rejected')
}

/** Counts the microtasks until a promise settles. */
async function microtasksUntilSettled(promise: Promise<unknown>): Promise<number> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  let count = 0
  for (; !settled && count < 100; count++) await undefined
  return count
}

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

const BAD_VALUES: [string, unknown][] = [
  ['null', null],
  ['a boolean', true],
  ['a text', "it's"],
  ['a long text', 'a text of more than twenty-eight characters'],
  ['a number', -0],
  ['not a number', Number.NaN],
  ['a bigint', 5n],
  ['a symbol', Symbol('s')],
  ['an array', []],
  ['a function', function named() {}],
  ['a function without a name', (() => () => {})()],
  ['a class', class Named {}],
  ['an object', { signal: 1 }],
  ['an object of a class', new Map()],
  ['an object without a prototype', Object.create(null)],
  ['an object with a field and no prototype', Object.assign(Object.create(null), { signal: 1 })],
]

describe.each(IMPLEMENTATIONS)('$name', ({ promises, setTimeout }) => {
  const { scheduler, setImmediate, setInterval } = promises

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

  describe('setInterval', () => {
    it('yields its value again and again', async () => {
      const values: string[] = []
      for await (const value of setInterval(2, 'value')) if (values.push(value) === 3) break
      expect(values).toEqual(['value', 'value', 'value'])
    })

    it('yields values later that came due while no next() was called', async () => {
      const iterator = setInterval(5, 'value')
      await iterator.next()
      await promises.setTimeout(100)
      // All within one turn of the event loop, so none of them can be a new one.
      let backlog = 0
      let turned = false
      nativeTimers.setImmediate(() => {
        turned = true
      })
      for (; !turned; backlog++) await iterator.next()
      await iterator.return?.()
      expect(backlog).toBeGreaterThan(3)
      expect(backlog).toBeLessThanOrEqual(22)
    })

    it('resolves calls of next() that were made early, in order', async () => {
      const iterator = setInterval(3, 'value')
      const answers = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
      await iterator.return?.()
      expect(answers).toEqual(Array(3).fill({ done: false, value: 'value' }))
    })

    it('ends at return(), and yields nothing more', async () => {
      const iterator = setInterval(1, 'value')
      await iterator.next()
      expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
      expect(await iterator.next()).toEqual({ done: true, value: undefined })
    })

    it('ends at throw(), with that error', async () => {
      const iterator = setInterval(1, 'value')
      await iterator.next()
      const error = new Error('thrown in')
      expect(await rejection(iterator.throw!(error))).toBe(error)
      expect(await iterator.next()).toEqual({ done: true, value: undefined })
    })

    it('follows a value that is a promise', async () => {
      const iterator = setInterval(1, Promise.resolve('inner'))
      expect(await iterator.next()).toEqual({ done: false, value: 'inner' })
      await iterator.return?.()
    })

    it('validates its arguments at the first call of next()', async () => {
      const iterator = setInterval('1' as unknown as number)
      expect(await outcome(() => iterator.next())).toEqual(
        await outcome(() => native.setInterval('1' as unknown as number).next()),
      )
      const { code } = await rejection(setInterval('1' as unknown as number).next())
      expect(code).toBe('ERR_INVALID_ARG_TYPE')
    })

    it('starts at the first call of next()', async () => {
      const controller = new AbortController()
      const iterator = setInterval(1, 'value', { signal: controller.signal })
      expect(listenersOf(controller.signal)).toBe(0)
      const next = iterator.next()
      expect(listenersOf(controller.signal)).toBe(1)
      await next
      await iterator.return?.()
    })

    it('rejects if the signal is aborted while it waits', async () => {
      const controller = new AbortController()
      const iterator = setInterval(LONG, 'value', { signal: controller.signal })
      const next = iterator.next()
      controller.abort('why')
      const { name, code, cause } = await rejection(next)
      expect({ name, code, cause }).toEqual({ name: 'AbortError', code: 'ABORT_ERR', cause: 'why' })
      expect(await iterator.next()).toEqual({ done: true, value: undefined })
    })

    it('yields values that came due before the abort, then rejects', async () => {
      const controller = new AbortController()
      const iterator = setInterval(2, 'value', { signal: controller.signal })
      await iterator.next()
      await promises.setTimeout(20)
      controller.abort('why')
      expect(await iterator.next()).toEqual({ done: false, value: 'value' })
      let values = 0
      const { name, cause } = await rejection(
        (async () => {
          for await (const _ of iterator) values++
        })(),
      )
      expect({ name, cause }).toEqual({ name: 'AbortError', cause: 'why' })
      expect(values).toBeLessThan(12)
    })
  })

  describe.each([
    ['setTimeout', (options: addon.TimerOptions) => promises.setTimeout(1, 'value', options)],
    ['setImmediate', (options: addon.TimerOptions) => setImmediate('value', options)],
    ['setInterval', (options: addon.TimerOptions) => endless(setInterval(1, 'value', options))],
    ['scheduler.wait', (options: addon.TimerOptions) => scheduler.wait(1, options)],
  ] as const)('the options of %s', (name, call) => {
    const nativeCall = {
      setTimeout: (options: addon.TimerOptions) => native.setTimeout(1, 'value', options),
      setImmediate: (options: addon.TimerOptions) => native.setImmediate('value', options),
      setInterval: (options: addon.TimerOptions) => endless(native.setInterval(1, 'value', options)),
      'scheduler.wait': (options: addon.TimerOptions) =>
        native.scheduler.wait(1, options as { signal: AbortSignal }),
    }[name]

    it.each(BAD_VALUES)('may be %s if Node allows it', async (_name, value) => {
      const options = value as addon.TimerOptions
      expect(await outcome(() => call(options))).toEqual(await outcome(() => nativeCall(options)))
    })

    it.each(BAD_VALUES)('have a signal that is %s if Node allows it', async (_name, value) => {
      const options = { signal: value } as unknown as addon.TimerOptions
      expect(await outcome(() => call(options))).toEqual(await outcome(() => nativeCall(options)))
      const { code, message } = await rejection(call(options))
      expect(code).toBe('ERR_INVALID_ARG_TYPE')
      expect(message).toMatch(
        /^The "options\.signal" property must be an instance of AbortSignal\. Received /,
      )
    })

    it.each(BAD_VALUES.slice(2).concat([['null', null]]))('refuse %s as ref', async (_name, value) => {
      const options = { ref: value } as unknown as addon.TimerOptions
      expect(await outcome(() => call(options))).toEqual(await outcome(() => nativeCall(options)))
      expect((await rejection(call(options))).message).toMatch(
        /^The "options\.ref" property must be of type boolean/,
      )
    })

    it('may have an aborted signal', async () => {
      const reason = new Error('why')
      const signal = AbortSignal.abort(reason)
      const expected = await outcome(() => nativeCall({ signal }))
      expect(await outcome(() => call({ signal }))).toEqual(expected)
      expect(expected).toHaveProperty('rejected.name', 'AbortError')
      const error = await rejection(call({ signal }))
      expect(error.cause).toBe(reason)
      expect(listenersOf(signal)).toBe(0)
    })

    it('may have a signal that is aborted without a reason', async () => {
      const signal = AbortSignal.abort()
      const error = await rejection(call({ signal }))
      expect(error).toMatchObject({ code: 'ABORT_ERR', message: 'The operation was aborted' })
      expect(error.cause).toBe(signal.reason)
    })
  })

  describe.each([
    ['setTimeout', (signal: AbortSignal) => promises.setTimeout(LONG, 'value', { signal })],
    ['setImmediate', (signal: AbortSignal) => setImmediate('value', { signal })],
    ['setInterval', (signal: AbortSignal) => setInterval(LONG, 'value', { signal }).next()],
    ['scheduler.wait', (signal: AbortSignal) => scheduler.wait(LONG, { signal })],
  ] as const)('the signal of %s', (name, call) => {
    const nativeCall = {
      setTimeout: (signal: AbortSignal) => native.setTimeout(LONG, 'value', { signal }),
      setImmediate: (signal: AbortSignal) => native.setImmediate('value', { signal }),
      setInterval: (signal: AbortSignal) => native.setInterval(LONG, 'value', { signal }).next(),
      'scheduler.wait': (signal: AbortSignal) => native.scheduler.wait(LONG, { signal }),
    }[name]

    async function abortedOutcome(start: (signal: AbortSignal) => Promise<unknown>, reason: unknown) {
      const controller = new AbortController()
      const promise = start(controller.signal)
      controller.abort(reason)
      return { error: await outcome(() => promise), listeners: listenersOf(controller.signal) }
    }

    it.each([
      ['an error', new Error('why')],
      ['a text', 'why'],
      ['null', null],
    ])('rejects with an AbortError and its cause: %s', async (_name, reason) => {
      const result = await abortedOutcome(call, reason)
      expect(result).toEqual(await abortedOutcome(nativeCall, reason))
      expect(result).toMatchObject({
        error: { rejected: { name: 'AbortError', own: { cause: { value: reason, enumerable: false } } } },
        listeners: 0,
      })
    })

    it('has one listener while the promise is pending', async () => {
      const { signal } = new AbortController()
      const controller = new AbortController()
      const pending = call(controller.signal)
      expect(listenersOf(controller.signal)).toBe(1)
      expect(listenersOf(signal)).toBe(0)
      controller.abort()
      await rejection(pending)
      expect(listenersOf(controller.signal)).toBe(0)
    })

    it('aborts also if another listener stopped the event', async () => {
      const controller = new AbortController()
      controller.signal.addEventListener('abort', (event) => event.stopImmediatePropagation())
      const promise = call(controller.signal)
      controller.abort()
      expect((await rejection(promise)).name).toBe('AbortError')
    })

    it('settles the promise after as many microtasks as natively', async () => {
      const count = async (start: (signal: AbortSignal) => Promise<unknown>) => {
        const controller = new AbortController()
        const promise = start(controller.signal)
        await undefined
        controller.abort()
        return microtasksUntilSettled(promise)
      }
      const ours = await count(call)
      expect(ours).toBe(await count(nativeCall))
      expect(ours).toBeGreaterThan(0)
    })

    it('may be an object that only looks like a signal', async () => {
      const calls: unknown[][] = []
      const signal = {
        aborted: false,
        reason: 'why',
        addEventListener: (type: string, listener: () => void, options: AddEventListenerOptions) =>
          calls.push(['add', type, listener, options.once]),
        removeEventListener: (type: string, listener: () => void) => calls.push(['remove', type, listener]),
      }
      const promise = call(signal as unknown as AbortSignal)
      expect(calls).toHaveLength(1)
      const [, , listener] = calls[0] as [unknown, unknown, () => void]
      signal.aborted = true
      listener()
      expect((await rejection(promise)).cause).toBe('why')
      expect(calls).toEqual([
        ['add', 'abort', listener, name === 'setInterval' ? true : undefined],
        ['remove', 'abort', listener],
      ])
    })
  })

  const CALLS = {
    setTimeout: (of: Promises, options: addon.TimerOptions) => of.setTimeout(1, 'value', options),
    wait: (of: Promises, options: addon.TimerOptions) => of.scheduler.wait(1, options),
    setImmediate: (of: Promises, options: addon.TimerOptions) => of.setImmediate('value', options),
    setInterval: (of: Promises, options: addon.TimerOptions) => {
      const values = of.setInterval(1, 'value', options)
      return values.next().finally(() => values.return?.())
    },
  }

  // Node 20 rejects, and later lines throw.
  it.each(Object.entries(CALLS))(
    'rejects or throws as natively if %s cannot listen to the signal',
    async (_name, call) => {
      const signal = {
        aborted: false,
        addEventListener: () => {
          throw new Error('not added')
        },
        removeEventListener: () => {},
      } as unknown as AbortSignal
      const expected = await outcome(() => call(native, { signal }))
      expect(JSON.stringify(expected)).toContain('not added')
      expect(await outcome(() => call(promises, { signal }))).toEqual(expected)
    },
  )

  /** Records all reads of options and of their signal, in order. The read number `throwAt` throws. */
  async function reads(
    call: (of: Promises, options: addon.TimerOptions) => unknown,
    of: Promises,
    values: addon.TimerOptions,
    throwAt?: number,
  ): Promise<unknown> {
    const log: string[] = []
    const watched = <T extends object>(name: string, target: T): T =>
      new Proxy(target, {
        get: (object, key) => {
          log.push(`${name}.${String(key)}`)
          if (log.length === throwAt) throw new Error('not read')
          const value: unknown = Reflect.get(object, key)
          return typeof value === 'function' ? value.bind(object) : value
        },
        has: (object, key) => {
          log.push(`${String(key)} in ${name}`)
          return Reflect.has(object, key)
        },
      })
    const { signal } = values
    // The error message shows an invalid value, in different ways on different runtimes.
    const isOne = signal !== undefined && 'aborted' in signal
    const options = isOne ? { ...values, signal: watched('signal', signal) } : values
    const end = await outcome(() => call(of, watched('options', options)))
    return { log, end }
  }

  describe.each(Object.entries(CALLS))(
    'reads the options of %s as often and in the same order as natively',
    (_name, call) => {
      const { signal } = new AbortController()
      it.each<[string, addon.TimerOptions]>([
        ['none', {}],
        ['ref', { ref: false }],
        ['a signal', { signal }],
        ['both', { ref: true, signal }],
        ['a signal that was aborted', { ref: true, signal: AbortSignal.abort('why') }],
        ['a wrong ref', { ref: 'no' as never, signal }],
        ['a wrong signal', { ref: true, signal: {} as never }],
      ])('%s', async (_options, values) => {
        // Another timer keeps the process alive for the unreferenced one.
        const hold = nativeTimers.setInterval(() => {}, 1)
        for (const throwAt of [undefined, 1, 2, 3, 4, 5, 6, 7, 8]) {
          expect(await reads(call, promises, values, throwAt)).toEqual(
            await reads(call, native, values, throwAt),
          )
        }
        nativeTimers.clearInterval(hold)
      })
    },
  )

  it('removes its listener once a promise is fulfilled', async () => {
    const { signal } = new AbortController()
    await promises.setTimeout(1, 'value', { signal })
    await setImmediate('value', { signal })
    await scheduler.wait(1, { signal })
    for await (const _ of setInterval(1, 'value', { signal })) break
    expect(listenersOf(signal)).toBe(0)
  })

  it('stays fulfilled if the signal is aborted in the same turn', async () => {
    const controller = new AbortController()
    const promise = promises.setTimeout(5, 'value', { signal: controller.signal })
    setTimeout(() => controller.abort(), 5)
    expect(await promise).toBe('value')
  })

  it('rejects if the timer just before it aborts the signal', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 5)
    const promise = promises.setTimeout(5, 'value', { signal: controller.signal })
    expect((await rejection(promise)).name).toBe('AbortError')
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

/** Calls next() until an error ends the loop. */
async function endless(iterator: AsyncIterable<unknown>): Promise<never> {
  let values = 0
  for await (const _ of iterator) if (++values === 3) throw new Error('three values')
  throw new Error('it ended')
}
