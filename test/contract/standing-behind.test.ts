/**
 * A wheel, a group or a map stands behind an object that inherits from it and behind a proxy of it: their methods act on it. Handles
 * do the same: see inheriting.test.ts. The three model tests run programs on such objects.
 */
import { expect, it } from '@jest/globals'
import { dispose, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'
import { MASKS } from './masks.js'

onEachBackend((backend) => {
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
      expect(thrownBy(() => new backend.TimeoutMap({ wheel: other as Wheel }))).toMatchObject(error)
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
