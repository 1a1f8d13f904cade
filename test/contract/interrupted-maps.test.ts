/** An exception interrupts a method of a TimeoutMap in every place. Afterwards it has taken effect or not; all else holds. */
import { describe, expect, it } from '@jest/globals'
import type { TimeoutMapOptions } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { everywhere } from './everywhere.js'

/** More than the first columns hold. */
const MANY = 20
const KEYS = Array.from({ length: MANY }, (_, i) => `${i}`)

type Options = TimeoutMapOptions<string, string>

/** The two in the middle have a part of what the last one has: only the first test runs on them. */
const KINDS: [string, Options, boolean][] = [
  ['a map', {}, false],
  ['a map with onExpire', { onExpire: () => {} }, true],
  ['a map with max', { max: MANY }, true],
  ['a map with all options', { onExpire: () => {}, max: MANY, refreshOnGet: true }, false],
]

onEachBackend((backend) => {
  /** Makes a map whose entries expire at 100. */
  function open(options: Options) {
    const wheel = manualWheel(backend)
    const ran: [key: string, time: number][] = []
    const onExpire = (_value: string, key: string): void => {
      ran[ran.length] = [key, wheel.now]
    }
    const map = new backend.TimeoutMap<string, string>({
      ttl: 100,
      wheel,
      ...options,
      onExpire: options.onExpire && onExpire,
    })
    for (const key of KEYS) map.set(key, 'old')
    /** Compares the Map with size and lists, and returns when its entries expire. */
    const dues = (): Record<string, number> => {
      const keys = [...map.keys()]
      const wrong = keys.filter((key) => !map.has(key) || !(map.remaining(key)! > 0))
      expect({ size: map.size, wrong }).toEqual({ size: keys.length, wrong: [] })
      return Object.fromEntries(keys.map((key) => [key, wheel.now + map.remaining(key)!]))
    }
    /** All entries expire at their times, and nothing stays behind. */
    const expectEnd = (): void => {
      const due = dues()
      const before = ran.length
      for (const time of [...new Set(Object.values(due))].filter(Number.isFinite).sort((a, b) => a - b)) {
        wheel.advance(time - wheel.now)
        expect(Object.values(dues()).filter((other) => other <= time)).toEqual([])
      }
      wheel.advance(30_000)
      const finite = Object.entries(due).filter(([, time]) => time < Number.POSITIVE_INFINITY)
      if (options.onExpire) expect(ran.slice(before).sort()).toEqual(finite.sort())
      map.clear()
      expect([map.size, wheel.pending]).toEqual([0, 0])
      map.set('again', 'new')
      wheel.advance(100)
      expect([map.size, ran.at(-1)?.[0]]).toEqual([0, options.onExpire && 'again'])
    }
    return { wheel, ran, map, dues, expectEnd }
  }

  describe.each(KINDS)('%s', (_name, options, isPart) => {
    it('sets, replaces, touches and deletes entries, each or not', () => {
      everywhere((attempt) => {
        const { wheel, map, dues, expectEnd } = open(options)
        wheel.advance(60)
        const isDone = attempt(() => {
          map.set('0', 'new')
          map.set('1', 'new', 50)
          map.set('2', 'new', 3)
          map.touch('3')
          map.get('4')
          map.delete('5')
          map.set('own', 'new')
          map.set('forever', 'new', Number.POSITIVE_INFINITY)
        })
        // With `max`, the last new entry takes the place of the one that was used the longest time ago.
        const former = Object.fromEntries(KEYS.map((key) => [key, 100]))
        const last: Record<string, number | undefined> = {
          ...former,
          ...{ 0: 160, 1: 110, 2: 63, 3: 160, 5: undefined, own: 160, forever: Number.POSITIVE_INFINITY },
          ...(options.refreshOnGet && { 4: 160 }),
          ...(options.max && { 6: undefined }),
        }
        const due = dues()
        for (const [key, time] of Object.entries(last)) {
          expect(isDone ? [time] : [former[key], time]).toContainEqual(due[key])
        }
        // No new value ends with the old one.
        for (const key of ['0', '1', '2']) if (map.peek(key) === 'new') expect(due[key]).not.toBe(100)
        expectEnd()
      })
    })

    if (isPart) return

    it('deletes or keeps each entry when they are cleared', () => {
      everywhere((attempt) => {
        const { map, dues, expectEnd } = open(options)
        for (let i = 0; i < MANY; i += 3) map.set(`${i}`, 'old', 30)
        attempt(() => {
          map.delete('0')
          map.clear()
          map.set('after', 'new', 7)
        })
        const size = Object.keys(dues()).length
        map.set('x', 'new')
        expect(Object.keys(dues()).length).toBe(options.max ? Math.min(size + 1, MANY) : size + 1)
        expectEnd()
      })
    })

    it('ends all entries through interrupted reads', () => {
      everywhere((attempt) => {
        const { wheel, map, ran, expectEnd } = open(options)
        for (const key of KEYS.slice(MANY / 2)) map.set(key, 'old', 200)
        let isLive = false
        wheel.advance(50)
        wheel.schedule(() => {
          attempt(() => {
            map.get('0')
            isLive = map.has('1') || map.size > MANY / 2
          })
          // The next call of any kind sees no expired entry.
          expect([map.has('2'), map.size]).toEqual([false, MANY / 2])
        }, 50)
        wheel.advance(50)
        // Interrupted callbacks may run a tick later.
        wheel.advance(1)
        expect(isLive).toBe(false)
        if (options.onExpire) expect(ran.length).toBe(MANY / 2)
        expectEnd()
      })
    })

    it('ends all entries through an interrupted advance()', () => {
      everywhere((attempt) => {
        const { wheel, map, ran, expectEnd } = open(options)
        for (let i = 0; i < MANY; i++) map.set(`${i}`, 'old', 20 + i)
        for (let i = 0; i < MANY; i += 2) map.touch(`${i}`)
        attempt(() => wheel.advance(30))
        wheel.advance(1)
        wheel.advance(60)
        expect([map.size, new Set(ran.map(([key]) => key)).size]).toEqual([0, ran.length])
        // The callback that could not begin is over.
        if (options.onExpire) expect(ran.length).toBeGreaterThanOrEqual(MANY - 1)
        expectEnd()
      })
    })
  })

  it('moves entries to nearer lists, iterates over them, and loses none', () => {
    everywhere((attempt) => {
      const { wheel, map, dues, expectEnd } = open({ ttl: 5, onExpire: undefined })
      for (const key of KEYS.slice(4)) map.delete(key)
      for (const key of KEYS.slice(0, 4)) map.set(key, 'old', 100)
      let seen = 0
      attempt(() => {
        for (const _entry of map) seen++
        map.forEach(() => {
          seen++
        })
        wheel.advance(97)
        map.set('own', 'new', 90)
      })
      expect(seen).toBeLessThanOrEqual(8)
      for (const key of KEYS.slice(0, 4)) expect(dues()[key]).toBe(100)
      expectEnd()
    })
  })
})
