/** What programs do to handles, or to objects that stand for one, affects no other timer, and holds up neither `clear()` nor `stop()`. */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { ignore, manualWheel, onEachBackend, type Wheel } from './backends.js'
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

const HOSTILE: [string, (wheel: Wheel) => unknown][] = [
  ['a frozen handle', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10))],
  ['a frozen interval', (wheel) => Object.freeze(wheel.setInterval(ignore, 10))],
  ['a frozen handle without a reference', (wheel) => Object.freeze(wheel.setTimeout(ignore, 10).unref())],
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

  describe.each(HOSTILE)('beside %s', (_, makeHostile) => {
    it.each(['clear', 'stop'] as const)('%s() takes all timers', (method) => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      const run = (name: string): void => void ran.push(name)
      wheel.setTimeout(run, 5, 'before')
      makeHostile(wheel)
      wheel.setTimeout(run, 15, 'after')
      wheel.schedule(run, 20, 'id')
      const signal = wheel.signal(25)
      wheel.group(run, 30).add('member')
      if (method === 'clear') {
        expect([wheel.clear(), wheel.pending, wheel.clear()]).toEqual([6, 0, 0])
        wheel.schedule(run, 5, 'later')
      } else {
        expect(wheel.stop().map(({ remaining }) => remaining)).toEqual([5, 10, 15, 20, 25, 30])
        expect([wheel.pending, wheel.stop()]).toEqual([0, []])
      }
      wheel.advance(100)
      expect([ran, signal.aborted, wheel.pending]).toEqual([method === 'clear' ? ['later'] : [], false, 0])
    })
  })
})
