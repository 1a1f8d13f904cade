/**
 * A wheel, a group or a map stands behind an object that inherits from it and behind a proxy of it: their methods act on it. Handles
 * do the same: see inheriting.test.ts.
 */
import { describe, expect, it } from '@jest/globals'
import { dispose, manualWheel, onEachBackend, thrownBy, type Wheel } from './backends.js'
import { MASKS, type Mask } from './masks.js'

onEachBackend((backend) => {
  /** Programs that use the object behind a mask, also by itself, and return what they see. */
  const USES: Record<string, (maskOf: Mask) => unknown> = {
    async wheel(maskOf) {
      const wheel = manualWheel(backend, { name: 'mine' })
      const mask = maskOf(wheel)
      const seen: unknown[] = []
      const note = (name: string): unknown => seen.push(name)
      const handle = mask.setTimeout(note, 1, 'timeout')
      mask.setTimeout(note, { delay: 2 }, 'options')
      const interval = mask.setInterval(note, 3, 'interval')
      const id = mask.schedule(note, 50, 'id')
      mask.schedule(note, 4, 'slack', { slack: 1 })
      mask.group(note, 5).add('member')
      mask.signal(6).addEventListener('abort', () => note('signal'))
      const promise = mask.promises.setTimeout(7)
      seen.push(mask.pending, wheel.pending, mask.name, [...mask].length, mask.reschedule(id, 8))
      mask.advance(8)
      seen.push(await promise, mask.now, mask.cancel(id), handle.pending)
      mask.clearTimeout(interval)
      mask.trim()
      mask.setTimeout(note, 1, 'all')
      mask.runAll()
      seen.push(wheel.pending, mask.stats(), wheel.schedule(note, 1, 'cleared') > 0, mask.clear())
      wheel.schedule(note, 5, 'left')
      seen.push(mask.stop().length, wheel.stop(), mask.stop(), wheel.pending)
      const other = manualWheel(backend)
      other.schedule(note, 5, 'left')
      maskOf(other)[dispose]()
      for (const stopped of [wheel, other]) seen.push(thrownBy(() => stopped.schedule(note, 1, 'late')))
      return seen
    },
    group(maskOf) {
      const wheel = manualWheel(backend)
      const seen: unknown[] = []
      const group = wheel.group<string>((item) => seen.push(item), 10)
      const mask = maskOf(group)
      const [a, b, c] = ['a', 'b', 'c'].map((item) => mask.add(item)) as [number, number, number]
      const d = group.add('d')
      seen.push(mask.size, group.size, [...mask], mask.has(a), mask.delete(b), mask.delete(b), wheel.pending)
      wheel.advance(5)
      seen.push(mask.touch(a), mask.touch(b), mask.touch(d))
      mask.delay = 20
      seen.push(mask.delay, group.delay)
      wheel.advance(16)
      seen.push(group.size, mask.has(c))
      mask.clear()
      seen.push(group.size, mask.size, wheel.pending)
      for (let i = 0; i < 100; i++) mask.add(`${i}`)
      const left = mask.stop()
      seen.push(left, group.size, wheel.pending, thrownBy(group.add.bind(group, 'e')))
      wheel.advance(50)
      return seen
    },
    map(maskOf) {
      const wheel = manualWheel(backend)
      const seen: unknown[] = []
      const onExpire = (...entry: unknown[]): unknown => seen.push(entry)
      const map = new backend.TimeoutMap<string, number>({ ttl: 10, onExpire, wheel: maskOf(wheel) })
      const mask = maskOf(map)
      seen.push(mask.set('a', 1) === mask, map.set('b', 2).size, wheel.pending)
      seen.push(mask.get('a'), mask.peek('b'), mask.has('c'), mask.size, [...mask])
      seen.push(mask.delete('b'), map.has('b'), mask.remaining('a'))
      wheel.advance(5)
      seen.push(mask.touch('a'), mask.getOrInsert('d', 4), mask.getOrInsertComputed('e', Number))
      wheel.advance(6)
      mask.forEach((value, key) => void seen.push([key, value]))
      seen.push([...mask.entries()], [...mask.keys()], [...mask.values()])
      wheel.advance(4)
      mask.set('f', 6).clear()
      return [...seen, map.size]
    },
  }

  describe.each(MASKS)('%s', (_name, maskOf) => {
    it.each(Object.entries(USES))('is the %s', async (_of, use) => {
      expect(await use(maskOf)).toEqual(await use((owner) => owner))
    })
  })

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
