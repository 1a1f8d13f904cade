/** Options and signals of `timers/promises`, on Node's own functions and on ours on both builds: see promises.test.ts. */

import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import type * as addon from 'timeout-wheel/native'
import {
  BAD_VALUES,
  endless,
  IMPLEMENTATIONS,
  LONG,
  listenersOf,
  microtasksUntilSettled,
  outcome,
  type Promises,
  rejection,
} from './promise-subjects.js'

describe.each(IMPLEMENTATIONS)('$name', ({ promises, setTimeout }) => {
  const { scheduler, setImmediate, setInterval } = promises

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
})
