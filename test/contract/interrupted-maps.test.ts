/** An exception interrupts a method of a TimeoutMap in every place. Afterwards it has taken effect or not; all else holds. */
import { expect, it } from '@jest/globals'
import type { TimeoutMapOptions } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { everywhere } from './everywhere.js'

/** More than the first columns hold. */
const MANY = 20

type Options = TimeoutMapOptions<string, number>

onEachBackend((backend) => {
  function open(options: Options) {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const onExpire = (_value: number, key: string): void => {
      ran[ran.length] = key
    }
    const map = new backend.TimeoutMap<string, number>({
      ttl: 100,
      wheel,
      ...options,
      onExpire: options.onExpire && onExpire,
    })
    /** Compares the Map with size and lists, and returns the keys. */
    function consistent(): string[] {
      const keys = [...map.keys()]
      const wrong = keys.filter((key) => !map.has(key) || !(map.remaining(key)! > 0))
      expect({ size: map.size, wrong }).toEqual({ size: keys.length, wrong: [] })
      return keys
    }
    /** All entries expire at their times, and nothing stays behind. */
    function expectEnd(): void {
      const left = consistent().filter((key) => map.remaining(key)! < Number.POSITIVE_INFINITY)
      const before = [...ran]
      wheel.advance(1000)
      expect(consistent().every((key) => map.remaining(key) === Number.POSITIVE_INFINITY)).toBe(true)
      wheel.advance(30_000)
      if (options.onExpire) expect([...ran].sort()).toEqual([...before, ...left].sort())
      map.clear()
      expect([map.size, wheel.pending]).toEqual([0, 0])
      map.set('again', 1)
      wheel.advance(100)
      expect([map.size, ran.at(-1)]).toEqual([0, options.onExpire ? 'again' : undefined])
    }
    return { wheel, ran, map, consistent, expectEnd }
  }

  const kinds: [string, Options][] = [
    ['a map', {}],
    ['a map with onExpire', { onExpire: () => {} }],
    ['a map with max', { max: MANY + 1 }],
    ['a map with all options', { onExpire: () => {}, max: MANY + 1, refreshOnGet: true }],
  ]

  /** The two others have a part of what the last one has. */
  const plainAndFull = [kinds[0]!, kinds[3]!]

  it.each(kinds)('sets, replaces, touches and deletes entries of %s, each or not', (_name, options) => {
    everywhere((attempt) => {
      const { wheel, map, consistent, expectEnd } = open(options)
      for (let i = 0; i < MANY; i++) map.set(`${i}`, i)
      wheel.advance(60)
      const isDone = attempt(() => {
        map.set('0', 100)
        map.set('1', 101, 50)
        map.set('2', 102, 3)
        map.touch('3')
        map.get('4')
        map.delete('5')
        map.set('new', 1)
        map.set('forever', 1, Number.POSITIVE_INFINITY)
      })
      if (isDone) expect(map.get('0')).toBe(100)
      const keys = consistent()
      const others = Array.from({ length: MANY - 6 }, (_, i) => `${i + 6}`)
      // With `max` the new entries have evicted some.
      if (options.max === undefined) expect(keys).toEqual(expect.arrayContaining(others))
      const isReplaced = map.peek('0') === 100
      const isTouched = isDone && map.has('3')
      wheel.advance(40)
      // No new value ends with the old one, and no old value is seen after its time.
      if (isReplaced) expect(map.has('0')).toBe(true)
      if (isTouched) expect(map.has('3')).toBe(true)
      expect(others.filter((key) => map.has(key))).toEqual([])
      expectEnd()
    })
  })

  it.each(plainAndFull)('deletes or keeps each entry of %s when they are cleared', (_name, options) => {
    everywhere((attempt) => {
      const { map, consistent, expectEnd } = open(options)
      for (let i = 0; i < MANY; i++) map.set(`${i}`, i, i % 3 === 0 ? 30 : undefined)
      attempt(() => {
        map.delete('0')
        map.clear()
        map.set('after', 1, 7)
      })
      const size = consistent().length
      map.set('x', 1)
      expect(consistent().length).toBe(size + 1)
      expectEnd()
    })
  })

  it.each(plainAndFull)('ends all entries of %s through interrupted reads', (_name, options) => {
    everywhere((attempt) => {
      const { wheel, map, ran, expectEnd } = open(options)
      let isLive = false
      wheel.schedule(() => {
        attempt(() => {
          map.get('0')
          isLive = map.has('1') || map.size > MANY / 2
        })
        // The next call of any kind sees no expired entry.
        expect(map.has('2')).toBe(false)
        expect(map.size).toBe(MANY / 2)
      }, 100)
      for (let i = 0; i < MANY; i++) map.set(`${i}`, i, i < MANY / 2 ? 100 : 200)
      wheel.advance(100)
      // Interrupted callbacks may run a tick later.
      wheel.advance(1)
      expect(isLive).toBe(false)
      if (options.onExpire) expect(ran.length).toBe(MANY / 2)
      expectEnd()
    })
  })

  it.each(plainAndFull)('ends all entries of %s through an interrupted advance()', (_name, options) => {
    everywhere((attempt) => {
      const { wheel, map, ran, expectEnd } = open(options)
      for (let i = 0; i < MANY; i++) map.set(`${i}`, i, 20 + i)
      for (let i = 0; i < MANY; i += 2) map.touch(`${i}`)
      attempt(() => wheel.advance(30))
      for (let i = 0; i < 60; i++) wheel.advance(1)
      expect([map.size, new Set(ran).size]).toEqual([0, ran.length])
      // The callback that could not begin is over.
      if (options.onExpire) expect(ran.length).toBeGreaterThanOrEqual(MANY - 1)
      expectEnd()
    })
  })

  it('moves entries to nearer lists, and loses none', () => {
    everywhere((attempt) => {
      const { wheel, map, expectEnd } = open({ ttl: 5 })
      for (let i = 0; i < 4; i++) map.set(`${i}`, i, 100)
      attempt(() => {
        wheel.advance(97)
        map.set('own', 1, 90)
      })
      wheel.advance(200)
      expect(map.size).toBe(0)
      expectEnd()
    })
  })

  it('iterates over all entries after an interrupted iteration', () => {
    everywhere((attempt) => {
      const { map, consistent, expectEnd } = open({})
      for (let i = 0; i < MANY; i++) map.set(`${i}`, i)
      let seen = 0
      attempt(() => {
        for (const _entry of map) seen++
        map.forEach(() => {
          seen++
        })
      })
      expect(seen).toBeLessThanOrEqual(2 * MANY)
      expect(consistent().length).toBe(MANY)
      expectEnd()
    })
  })
})
