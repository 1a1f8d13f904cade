/** A method that is called without its wheel throws an error with its name. The model tests run programs on objects that stand for a wheel. */
import { expect, it } from '@jest/globals'
import type { TimerWheel } from 'timeout-wheel'
import { dispose, manualWheel, onEachBackend, thrownBy } from './backends.js'
import { MASKS } from './masks.js'

/** Properties that are no methods, or need no wheel. */
const OTHERS: unknown[] = ['constructor', 'clearTimeout', 'clearInterval']
/** Other symbols are internal. */
const SYMBOLS: unknown[] = [dispose]

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

  it.each(MASKS)(
    'has the name, the signals, the promises and the end of its wheel: %s',
    async (_, maskOf) => {
      const wheel = manualWheel(backend, { name: 'mine' })
      const mask = maskOf(wheel)
      const signal = mask.signal(6)
      const promise = mask.promises.setTimeout(7, 'value')
      mask.advance(8)
      const seen = [mask.name, signal.aborted, await promise, mask.stats()]
      expect(seen).toEqual(['mine', true, 'value', wheel.stats()])
      mask.schedule(() => {}, 5)
      expect([mask.pending, mask[dispose](), wheel.pending]).toEqual([1, undefined, 0])
      expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    },
  )

  it('refuses other objects with a scheduler, which are no wheels', () => {
    const wheel = manualWheel(backend)
    const { prototype } = backend.TimerWheel
    const group = wheel.group(() => {}, 5)
    const timeout = wheel.setTimeout(() => {}, 5)
    for (const other of [group, timeout, wheel.signal(5), prototype, Object.create(prototype)]) {
      for (const method of ['schedule', 'setTimeout', 'stop', 'clear'] as const) {
        const call = () => Reflect.apply(prototype[method] as () => void, other, [() => {}, 5])
        const message = `${method} was called without its wheel`
        expect(thrownBy(call)).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_THIS', message })
      }
      const error = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' }
      expect(thrownBy(() => new backend.TimeoutMap({ wheel: other as never }))).toMatchObject(error)
    }
    expect(wheel.pending).toBe(2)
  })

  it('shows nothing of itself in the properties of a map', () => {
    const map = new backend.TimeoutMap().set('a', 1)
    expect([JSON.stringify(map), { ...map }, Object.keys(map)]).toEqual(['{}', {}, []])
    expect(map).toEqual(new backend.TimeoutMap().set('a', 1))
    expect(map).not.toEqual(new backend.TimeoutMap().set('a', 2))
  })
})
