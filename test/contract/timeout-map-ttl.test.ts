/** TimeoutMap: how long an entry lives. */
import { expect, it } from '@jest/globals'
import { onEachBackend } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const manualMap = mapsOn(backend)

  it('shows an entry until its ttl has passed, and then calls onExpire', () => {
    const { wheel, map, expired } = manualMap({ ttl: 100 })
    map.set('key', 'value')
    wheel.advance(99)
    expect(map.get('key')).toBe('value')
    expect([map.has('key'), map.size, map.remaining('key')]).toEqual([true, 1, 1])
    expect(expired).toEqual([])
    wheel.advance(1)
    expect([map.get('key'), map.has('key'), map.size, map.remaining('key')]).toEqual([
      undefined,
      false,
      0,
      undefined,
    ])
    expect(expired).toEqual([['value', 'key']])
    expect(wheel.pending).toBe(0)
  })

  it('keeps entries without a ttl, and sets no timer for them', () => {
    const { wheel, map, expired } = manualMap()
    map.set('a', 1).set('b', 2, Number.POSITIVE_INFINITY)
    expect(wheel.pending).toBe(0)
    wheel.advance(2 ** 40)
    expect([...map.keys()]).toEqual(['a', 'b'])
    map.set('a', 3, 50)
    expect(wheel.pending).toBe(1)
    wheel.advance(50)
    expect(expired).toEqual([[3, 'a']])
    expect([map.size, wheel.pending]).toEqual([1, 0])
  })

  it('ends each of many entries at its own time', () => {
    const { wheel, map, expired } = manualMap<number, number>({ ttl: 7 })
    const ttlOf = (key: number) => 1 + ((key * 7919) % 2003)
    for (let key = 0; key < 5000; key++) map.set(key, key, ttlOf(key))
    for (let now = 1; now <= 2003; now++) {
      const before = expired.length
      wheel.advance(1)
      for (const [, key] of expired.slice(before))
        if (ttlOf(key as number) !== now) throw new Error(`${key}: ${now}`)
    }
    expect([map.size, expired.length, wheel.pending]).toEqual([0, 5000, 0])
  })

  it.each([0, 0.25, 1, 1.5, 7, 8, 9, 10, 63, 64, 1000, 1023, 4095.5, 2 ** 31, 2 ** 40 + 1])(
    'ends an entry with an own ttl of %p at its time, also after a touch',
    (ttl) => {
      const { wheel, map, expired } = manualMap({ ttl: 5 })
      const most = Math.ceil(ttl)
      map.set('key', 1, ttl)
      if (most > 2) {
        wheel.advance(Math.floor(most / 2))
        map.touch('key')
      }
      wheel.advance(Math.max(most, 1) - 1)
      expect(map.has('key')).toBe(ttl > 0)
      wheel.advance(1)
      expect(map.has('key')).toBe(false)
      expect(expired).toEqual([[1, 'key']])
    },
  )
})
