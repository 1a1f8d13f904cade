/**
 * A wheel, a group or a map stands behind an object that inherits from it and behind a proxy of it: their methods act on it. Handles
 * do the same: see inheriting.test.ts.
 */
import { describe, expect, it } from '@jest/globals'
import { dispose, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'

const MASKS: [string, <T extends object>(owner: T) => T][] = [
  ['an object that inherits from it', (owner) => Object.create(owner)],
  ['an object that inherits from one that does', (owner) => Object.create(Object.create(owner))],
  ['a proxy', (owner) => new Proxy(owner, {})],
  ['a proxy of an object that inherits from it', (owner) => new Proxy(Object.create(owner), {})],
]

onEachBackend((backend) => {
  describe.each(MASKS)('%s', (_name, maskOf) => {
    it('is the wheel', async () => {
      const wheel = manualWheel(backend, { name: 'mine' })
      const mask = maskOf(wheel)
      const ran: string[] = []
      const note = (name: string): unknown => ran.push(name)
      const handle = mask.setTimeout(note, 1, 'timeout')
      mask.setTimeout(note, { delay: 2 }, 'options')
      const interval = mask.setInterval(note, 3, 'interval')
      const id = mask.schedule(note, 50, 'id')
      mask.schedule(note, 4, 'slack', { slack: 1 })
      mask.group(note, 5).add('member')
      mask.signal(6).addEventListener('abort', () => note('signal'))
      const promise = mask.promises.setTimeout(7)
      expect([mask.pending, wheel.pending, mask.name, [...mask].length]).toEqual([8, 8, 'mine', 6])
      expect(mask.reschedule(id, 8)).toBe(true)
      mask.advance(8)
      await promise
      expect(ran).toEqual(['timeout', 'options', 'interval', 'slack', 'member', 'signal', 'interval', 'id'])
      expect([mask.now, mask.cancel(id), handle.pending]).toEqual([8, false, false])
      mask.clearTimeout(interval)
      mask.trim()
      mask.setTimeout(note, 1, 'all')
      mask.runAll()
      expect([wheel.pending, ran.at(-1), mask.stats()]).toEqual([0, 'all', wheel.stats()])
      mask.schedule(note, 1, 'cleared')
      expect(mask.clear()).toBe(1)
    })

    it('stops the wheel, which can be stopped again', () => {
      for (const stop of [(mask: Wheel) => mask.stop(), (mask: Wheel) => mask[dispose]()]) {
        const wheel = manualWheel(backend)
        wheel.schedule(() => {}, 5)
        const left = stop(maskOf(wheel))
        if (left !== undefined) expect(left).toHaveLength(1)
        expect([wheel.stop(), maskOf(wheel).stop(), wheel.pending]).toEqual([[], [], 0])
        expect(thrownBy(() => wheel.schedule(() => {}, 1))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
      }
    })

    it('is the wheel of a map', () => {
      const wheel = manualWheel(backend)
      const expired: unknown[] = []
      const onExpire = (value: unknown): unknown => expired.push(value)
      const map = new backend.TimeoutMap({ ttl: 10, onExpire, wheel: maskOf(wheel) })
      map.set('a', 1)
      expect(wheel.pending).toBe(1)
      wheel.advance(10)
      expect(expired).toEqual([1])
    })

    it('is the group', () => {
      const wheel = manualWheel(backend)
      const ran: string[] = []
      const group = wheel.group<string>((item) => ran.push(item), 10)
      const mask = maskOf(group)
      const [a, b, c] = ['a', 'b', 'c'].map((item) => mask.add(item)) as [number, number, number]
      const d = group.add('d')
      expect([mask.size, group.size, [...mask], mask.has(a)]).toEqual([4, 4, ['a', 'b', 'c', 'd'], true])
      expect([mask.delete(b), mask.delete(b), group.size, wheel.pending]).toEqual([true, false, 3, 3])
      wheel.advance(5)
      expect([mask.touch(a), mask.touch(b), mask.touch(d)]).toEqual([true, false, true])
      mask.delay = 20
      expect([mask.delay, group.delay]).toEqual([20, 20])
      wheel.advance(16)
      expect([ran, group.size, mask.has(c)]).toEqual([['c'], 2, false])
      mask.clear()
      expect([group.size, mask.size, wheel.pending]).toEqual([0, 0, 0])
      for (let i = 0; i < 100; i++) mask.add(`${i}`)
      expect([mask.stop().length, group.size, wheel.pending]).toEqual([100, 0, 0])
      expect(thrownBy(() => group.add('e'))).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
      wheel.advance(50)
      expect(ran).toEqual(['c'])
    })

    it('is the map', () => {
      const wheel = manualWheel(backend)
      const map = new backend.TimeoutMap<string, number>({ ttl: 10, wheel })
      const mask = maskOf(map)
      expect(mask.set('a', 1)).toBe(mask)
      map.set('b', 2)
      expect([mask.get('a'), mask.peek('b'), mask.has('c'), mask.size, [...mask]]).toEqual([
        1,
        2,
        false,
        2,
        [...map],
      ])
      expect([mask.delete('b'), map.has('b'), mask.remaining('a')]).toEqual([true, false, 10])
      wheel.advance(5)
      expect([mask.touch('a'), mask.getOrInsert('d', 4), mask.getOrInsertComputed('d', () => 5)]).toEqual([
        true,
        4,
        4,
      ])
      wheel.advance(6)
      const seen: unknown[] = []
      mask.forEach((value, key) => void seen.push([key, value]))
      expect(seen).toEqual([...mask.entries()])
      expect([[...mask.keys()], [...mask.values()]]).toEqual([
        ['a', 'd'],
        [1, 4],
      ])
      mask.clear()
      expect(map.size).toBe(0)
    })
  })

  it('refuses other objects with a scheduler, which are no wheels', () => {
    const wheel = manualWheel(backend)
    const { prototype } = backend.TimerWheel
    const group = wheel.group(() => {}, 5)
    for (const other of [
      group,
      wheel.setTimeout(() => {}, 5),
      wheel.signal(5),
      prototype,
      Object.create(prototype),
    ]) {
      for (const method of ['schedule', 'setTimeout', 'stop', 'clear'] as const) {
        expect(
          thrownBy(() => Reflect.apply(prototype[method] as () => void, other, [() => {}, 5])),
        ).toMatchObject({
          name: 'TypeError',
          code: 'ERR_INVALID_THIS',
          message: `${method} was called without its wheel`,
        })
      }
      expect(thrownBy(() => new backend.TimeoutMap({ wheel: other as Wheel }))).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
      })
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
