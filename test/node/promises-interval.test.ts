/** `setInterval` of `timers/promises`, on Node's own functions and on ours on both builds: see promises.test.ts. */

import * as nativeTimers from 'node:timers'
import * as native from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { IMPLEMENTATIONS, LONG, listenersOf, outcome, rejection } from './promise-subjects.js'

describe.each(IMPLEMENTATIONS)('$name', ({ promises }) => {
  const { setInterval } = promises

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
})
