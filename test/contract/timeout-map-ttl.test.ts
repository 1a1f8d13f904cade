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

  it('counts the ttl anew from each set and touch, and from a get only with refreshOnGet', () => {
    for (const refreshOnGet of [false, true]) {
      const { wheel, map } = manualMap({ ttl: 100, refreshOnGet })
      map.set('set', 1).set('touched', 2).set('got', 3).set('seen', 4)
      wheel.advance(60)
      map.set('set', 5)
      expect([map.touch('touched'), map.touch('absent')]).toEqual([true, false])
      expect([map.get('got'), map.peek('seen'), map.has('seen')]).toEqual([3, 4, true])
      wheel.advance(40)
      expect([...map]).toEqual([['set', 5], ['touched', 2], ...(refreshOnGet ? [['got', 3]] : [])])
      wheel.advance(59)
      expect(map.size).toBe(refreshOnGet ? 3 : 2)
      wheel.advance(1)
      expect(map.size).toBe(0)
    }
  })

  it('takes an own ttl for an entry, longer or shorter, and a later set without one ends it', () => {
    const { wheel, map, expired } = manualMap({ ttl: 100 })
    map.set('usual', 1).set('short', 2, 10).set('long', 3, 1e12).set('never', 4, Number.POSITIVE_INFINITY)
    expect(['usual', 'short', 'long', 'never'].map((key) => map.remaining(key))).toEqual([
      100,
      10,
      1e12,
      Number.POSITIVE_INFINITY,
    ])
    wheel.advance(9)
    map.touch('short')
    map.set('long', 3, 20)
    wheel.advance(9)
    expect(map.has('short')).toBe(true)
    wheel.advance(1)
    expect(expired).toEqual([[2, 'short']])
    wheel.advance(10)
    expect(expired).toEqual([
      [2, 'short'],
      [3, 'long'],
    ])
    map.set('never', 5)
    wheel.advance(71)
    expect(expired.at(-1)).toEqual([1, 'usual'])
    wheel.advance(29)
    expect(expired.at(-1)).toEqual([5, 'never'])
    expect(map.size).toBe(0)
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
