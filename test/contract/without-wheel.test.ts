/** A method of a wheel that is called without the wheel throws an error that names the method. */
import { expect, it } from '@jest/globals'
import type { TimerWheel } from 'timeout-wheel'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'

/** Properties that are no methods, or need no wheel. */
const OTHERS: unknown[] = ['constructor', 'clearTimeout', 'clearInterval']
/** Other symbols are internal. */
const SYMBOLS: unknown[] = [Symbol.iterator, dispose]

onEachBackend((backend) => {
  const prototype = backend.TimerWheel.prototype as TimerWheel
  const keys = Reflect.ownKeys(prototype).filter((key) =>
    typeof key === 'string' ? !OTHERS.includes(key) : SYMBOLS.includes(key),
  )

  it('knows every method', () => {
    const some = ['setTimeout', 'schedule', 'cancel', 'stop', 'clear', 'now', ...SYMBOLS]
    expect(keys).toEqual(expect.arrayContaining(some))
  })

  for (const key of keys) {
    const name = typeof key === 'symbol' ? `[Symbol.${key === dispose ? 'dispose' : 'iterator'}]` : key
    it(`throws without a wheel: ${name}`, () => {
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, key)!
      const message = `${name} was called without its wheel`
      const error = { name: 'TypeError', code: 'ERR_INVALID_THIS', message }
      for (const self of [undefined, null, 5, 'text', {}, [], () => {}])
        for (const args of [[], [() => {}, 5], [() => {}, 5, 'argument'], [() => {}, { delay: 5 }], [1, 5]])
          expect(thrownBy(() => Reflect.apply(value ?? get, self, args))).toMatchObject(error)
    })
  }

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
