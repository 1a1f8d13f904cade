/** What inherits from a handle, or stands before one, clears it at most, and never takes another timer's record. */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'

const CLEAR = Symbol.for('timeout-wheel.clear')

/** Objects that pass for a handle. */
const MASKS: [string, (handle: Timeout) => Timeout][] = [
  ['an object that inherits from it', (handle) => Object.create(handle)],
  ['an object that inherits from one that does', (handle) => Object.create(Object.create(handle))],
  ['a proxy', (handle) => new Proxy(handle, {})],
  ['a proxy of an object that inherits from it', (handle) => new Proxy(Object.create(handle), {})],
]

/** What is done with such an object. */
const USES: [string, (mask: Timeout, clear: (timeout: Timeout) => void) => unknown][] = [
  ['cleared', (mask, clear) => clear(mask)],
  ['closed', (mask) => mask.close()],
  ['refreshed', (mask) => mask.refresh()],
  ['refreshed with another delay', (mask) => mask.refresh(3)],
  ['without a reference', (mask) => mask.unref()],
  ['without a reference, and with one', (mask) => mask.unref().ref()],
  ['destroyed', (mask) => (mask._destroyed = true)],
  ['given another delay', (mask) => (mask._idleTimeout = 7)],
  ['given another start', (mask) => (mask._idleStart = 0)],
]

onEachBackend(({ TimerWheel }) => {
  for (const asyncContext of [true, false]) {
    const newWheel = () => manualWheel({ TimerWheel } as never, { asyncContext })
    const kind = asyncContext ? 'with a context' : 'without one'

    it.each(MASKS)(`clears a handle ${kind} by %s`, (_name, maskOf) => {
      const wheel = newWheel()
      const ran: string[] = []
      const handle = wheel.setTimeout(() => ran.push('cleared'), 5)
      const mask = maskOf(handle)
      wheel.clearTimeout(mask)
      expect(wheel.pending).toBe(0)
      wheel.clearTimeout(handle)
      wheel.clearTimeout(mask)
      const others = ['a', 'b', 'c'].map((name) => wheel.setTimeout(() => ran.push(name), 5))
      expect(wheel.pending).toBe(3)
      wheel.clearTimeout(mask)
      wheel.clearTimeout(handle)
      wheel.advance(10)
      expect(ran).toEqual(['a', 'b', 'c'])
      expect([wheel.pending, others.length]).toEqual([0, 3])
    })

    describe.each(MASKS)(`keeps all other timers, a handle ${kind} and %s`, (_mask, maskOf) => {
      for (const first of USES) {
        it(first[0], () => {
          for (const second of USES) {
            const wheel = newWheel()
            const ran: string[] = []
            const handle = wheel.setTimeout(() => {}, 5)
            const interval = wheel.setInterval(() => {}, 5)
            for (const one of [handle, interval]) {
              const mask = maskOf(one)
              for (const [, use] of [first, second]) use(mask, (timeout) => wheel.clearTimeout(timeout))
              wheel.clearTimeout(mask)
              wheel.clearTimeout(one)
            }
            expect(wheel.pending).toBe(0)
            for (const name of ['a', 'b', 'c']) wheel.setTimeout(() => ran.push(name), 5)
            expect(wheel.pending).toBe(3)
            wheel.advance(10)
            expect({ second: second[0], ran, pending: wheel.pending }).toEqual({
              second: second[0],
              ran: ['a', 'b', 'c'],
              pending: 0,
            })
          }
        })
      }
    })

    it(`passes over what only looks like a handle ${kind}`, () => {
      const wheel = newWheel()
      const ran: string[] = []
      const handle = wheel.setTimeout(() => ran.push('a'), 5)
      const prototype: object = Object.getPrototypeOf(handle)
      for (const other of [{}, [], Object.create(prototype), Object.create(null)]) {
        try {
          Reflect.set(handle, CLEAR, true, other)
        } catch (error) {
          // An object of no handle's class lacks the rest of it.
          expect(error).toBeInstanceOf(TypeError)
        }
      }
      wheel.clearTimeout(Object.create(prototype))
      expect(wheel.pending).toBe(1)
      wheel.advance(10)
      expect(ran).toEqual(['a'])
    })
  }
})
