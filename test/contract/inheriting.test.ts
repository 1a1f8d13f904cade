/** An object that inherits from a handle, or a proxy of one, can clear that handle. It never affects another timer. */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'

const CLEAR = Symbol.for('timeout-wheel.clear')

/** Objects that look like a handle. */
const MASKS: [string, (handle: Timeout) => Timeout][] = [
  ['an object that inherits from it', (handle) => Object.create(handle)],
  ['an object that inherits from one that does', (handle) => Object.create(Object.create(handle))],
  ['a proxy', (handle) => new Proxy(handle, {})],
  ['a proxy of an object that inherits from it', (handle) => new Proxy(Object.create(handle), {})],
]

/** The calls that a program may make with such an object. */
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

    describe.each(MASKS)(`controls a handle ${kind} by %s`, (_name, maskOf) => {
      it('shares the reference state and the number', () => {
        const wheel = newWheel()
        const handle = wheel.setTimeout(() => {}, 5)
        const mask = maskOf(handle)
        expect([mask.unref(), handle.hasRef(), mask.hasRef()]).toEqual([mask, false, false])
        expect([mask.ref(), handle.hasRef(), mask.hasRef()]).toEqual([mask, true, true])
        handle.unref()
        expect([mask.hasRef(), mask.ref().hasRef(), handle.hasRef()]).toEqual([false, true, true])
        expect(`${+mask}`).toBe(`${+handle}`)
        wheel.advance(5)
        expect([wheel.pending, mask.unref().hasRef(), handle.hasRef()]).toEqual([0, false, false])
      })

      it('refreshes the handle, pending or not', () => {
        const wheel = newWheel()
        const ran: string[] = []
        const handle = wheel.setTimeout(() => ran.push('ran'), 5)
        const mask = maskOf(handle)
        wheel.advance(3)
        expect(mask.refresh()).toBe(mask)
        wheel.advance(4)
        mask.refresh(7)
        wheel.advance(6)
        expect(ran).toEqual([])
        wheel.advance(1)
        expect(ran).toEqual(['ran'])
        mask.refresh()
        expect(wheel.pending).toBe(1)
        wheel.advance(7)
        expect(ran).toEqual(['ran', 'ran'])
      })

      it('closes the handle for good, pending or not', () => {
        const wheel = newWheel()
        const [pending, over] = [wheel.setTimeout(() => {}, 50), wheel.setTimeout(() => {}, 5)]
        wheel.advance(5)
        for (const handle of [pending, over]) {
          expect(maskOf(handle).close()).not.toBe(handle)
          handle.refresh()
          maskOf(handle).refresh()
        }
        expect(wheel.pending).toBe(0)
      })
    })

    it(`ignores an object that only looks like a handle ${kind}`, () => {
      const wheel = newWheel()
      const ran: string[] = []
      const handle = wheel.setTimeout(() => ran.push('a'), 5)
      const prototype: object = Object.getPrototypeOf(handle)
      for (const other of [{}, [], Object.create(prototype), Object.create(null)]) {
        try {
          Reflect.set(handle, CLEAR, true, other)
        } catch (error) {
          // An object of another class lacks the private parts of a handle.
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
