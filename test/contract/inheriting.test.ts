/** An object that inherits from a handle, or a proxy of one, can clear that handle. It never affects another timer. */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { MASKS } from './masks.js'

const CLEAR = Symbol.for('timeout-wheel.clear')

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

onEachBackend((backend) => {
  describe.each([[true], [false]])('a handle whose asyncContext is %s', (asyncContext) => {
    const newWheel = () => manualWheel(backend, { asyncContext })

    describe.each(MASKS)('is controlled by %s', (_name, maskOf) => {
      it.each(USES)('which keeps all other timers: %s', (_use, first) => {
        for (const [second, use] of USES) {
          const wheel = newWheel()
          const ran: string[] = []
          const clear = (timeout: Timeout): void => wheel.clearTimeout(timeout)
          const handles = [wheel.setTimeout(() => {}, 5), wheel.setInterval(() => {}, 5)]
          for (const [mask, handle] of handles.map((handle) => [maskOf(handle), handle] as const)) {
            first(mask, clear)
            use(mask, clear)
            clear(mask)
            expect({ second, pending: handle.pending }).toEqual({ second, pending: false })
            clear(handle)
          }
          for (const name of ['a', 'b', 'c']) wheel.setTimeout(() => ran.push(name), 5)
          for (const handle of handles) for (const timeout of [maskOf(handle), handle]) clear(timeout)
          expect(wheel.pending).toBe(3)
          wheel.advance(10)
          expect([second, ran, wheel.pending]).toEqual([second, ['a', 'b', 'c'], 0])
        }
      })

      it('which clears an interval in its own callback, and is counted', () => {
        const wheel = newWheel()
        const handle: Timeout = wheel.setInterval(() => {
          maskOf(handle).close()
        }, 5)
        wheel.advance(20)
        expect(wheel.stats()).toMatchObject({ scheduled: 1, fired: 1, cancelled: 1, pending: 0 })
      })

      it('which shares its reference state and its number', () => {
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

      it('which refreshes it, pending or not', () => {
        const wheel = newWheel()
        let runs = 0
        const mask = maskOf(wheel.setTimeout(() => runs++, 5))
        const runsAfter = (ms: number): number => {
          wheel.advance(ms)
          return runs
        }
        expect([runsAfter(3), mask.refresh()]).toEqual([0, mask])
        expect([runsAfter(4), mask.refresh(7)]).toEqual([0, mask])
        expect([runsAfter(6), runsAfter(1)]).toEqual([0, 1])
        expect([mask.refresh(), wheel.pending, runsAfter(6), runsAfter(1)]).toEqual([mask, 1, 1, 2])
      })

      it('which closes it for good, pending or not', () => {
        const wheel = newWheel()
        const handles = [wheel.setTimeout(() => {}, 50), wheel.setTimeout(() => {}, 5)]
        wheel.advance(5)
        for (const handle of handles) {
          expect(maskOf(handle).close()).not.toBe(handle)
          handle.refresh()
          maskOf(handle).refresh()
        }
        expect(wheel.pending).toBe(0)
      })
    })

    it('is not cleared by an object that only looks like it', () => {
      const wheel = newWheel()
      let runs = 0
      const handle = wheel.setTimeout(() => runs++, 5)
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
      expect(runs).toBe(1)
    })
  })
})
