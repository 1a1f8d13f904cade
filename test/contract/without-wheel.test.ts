/** A method of a wheel that is called without the wheel throws an error that names the method. */
import { expect, it } from '@jest/globals'
import type { TimerWheel } from 'timeout-wheel'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'

/** Properties that are no methods, or need no wheel. */
const OTHERS = ['constructor', 'clearTimeout', 'clearInterval']

onEachBackend((backend) => {
  const prototype = backend.TimerWheel.prototype as TimerWheel
  // Other symbols are internal.
  const isPublic = (key: string | symbol) =>
    typeof key === 'string' || [Symbol.iterator, dispose].includes(key as never)
  const keys = Reflect.ownKeys(prototype).filter((key) => isPublic(key) && !OTHERS.includes(key as string))

  it('knows every method', () => {
    expect(keys).toEqual(expect.arrayContaining(['setTimeout', 'schedule', 'cancel', 'stop', 'clear', 'now']))
    expect(keys).toEqual(expect.arrayContaining([Symbol.iterator, dispose]))
  })

  for (const key of keys) {
    const name = typeof key === 'symbol' ? `[Symbol.${key === dispose ? 'dispose' : 'iterator'}]` : key
    it(`throws without a wheel: ${name}`, () => {
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, key)!
      const method: (...args: unknown[]) => unknown = value ?? get
      for (const self of [undefined, null, 5, 'text', {}, [], () => {}]) {
        for (const args of [[], [() => {}, 5], [() => {}, 5, 'argument'], [() => {}, { delay: 5 }], [1, 5]]) {
          const error = thrownBy(() => Reflect.apply(method, self, args))
          expect(error).toBeInstanceOf(TypeError)
          expect(error).toMatchObject({
            code: 'ERR_INVALID_THIS',
            message: `${name} was called without its wheel`,
          })
        }
      }
    })
  }

  it('throws at a method that was taken from its wheel, and changes nothing', () => {
    const wheel = manualWheel(backend)
    const { schedule, setTimeout } = wheel
    for (const call of [() => schedule(() => {}, 5), () => setTimeout(() => {}, 5)]) {
      expect(thrownBy(call)).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_THIS' })
    }
    expect(wheel.pending).toBe(0)
  })

  it('passes on the errors of a method that has its wheel', () => {
    const wheel = manualWheel(backend)
    wheel.schedule(() => Reflect.apply(prototype.stop, {}, []), 1)
    expect(thrownBy(() => wheel.advance(1))).toMatchObject({ code: 'ERR_INVALID_THIS' })
    wheel.stop()
    expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
  })

  it('clears timers without a wheel, as it clears those of any wheel', () => {
    const wheel = manualWheel(backend)
    const { clearTimeout, clearInterval } = wheel
    clearTimeout(wheel.setTimeout(() => {}, 5))
    clearInterval(wheel.setInterval(() => {}, 5))
    expect(wheel.pending).toBe(0)
  })
})
