/** `clear()` of a wheel ends the timers of its maps. The maps keep their entries, which end without `onExpire`. */
import { expect, it } from '@jest/globals'
import type { TimeoutMap } from 'timeout-wheel'
import { manualWheel, onEachBackend, thrownBy } from './backends.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const manualMap = mapsOn(backend)
  const full = { code: 'ERR_WHEEL_LIMIT' }

  it('ends the timer, and keeps the entries until their time has come', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    map.set('a', 1).set('b', 2, 20)
    wheel.schedule(() => {}, 5)
    expect(wheel.clear()).toBe(2)
    expect([map.size, wheel.pending, wheel.clear()]).toEqual([2, 0, 0])
    wheel.advance(10)
    expect([map.has('a'), map.get('b'), map.size, [...map.keys()]]).toEqual([false, 2, 1, ['b']])
    wheel.advance(10)
    expect([map.size, [...map], expired, wheel.pending]).toEqual([0, [], [], 0])
  })

  it('keeps an entry that expires after more than 64 keys of entries that ended without onExpire', () => {
    const { wheel, map, expired } = manualMap<string, number>({ ttl: 5 })
    map.set('last', 1, 5_000)
    for (let i = 0; i < 100; i++) map.set(`${i}`, 1)
    wheel.clear()
    wheel.advance(50)
    map.set('again', 1)
    wheel.advance(6_000)
    expect([expired.map(([, key]) => key), map.size, wheel.pending]).toEqual([['again', 'last'], 0, 0])
  })

  it('gives the place of the timer to another one', () => {
    const wheel = manualWheel(backend, { maxPending: 1 })
    const { map } = manualMap({ ttl: 10 }, wheel)
    map.set('a', 1)
    expect(wheel.clear()).toBe(1)
    const id = wheel.schedule(() => {}, 5)
    for (const start of [() => map.set('a', 2), () => map.set('b', 2), () => map.touch('a')]) {
      expect(thrownBy(start)).toMatchObject(full)
    }
    // An entry that cannot expire needs no timer.
    map.set('forever', 3, Number.POSITIVE_INFINITY)
    expect([map.touch('forever'), [...map]]).toEqual([
      true,
      [
        ['a', 1],
        ['forever', 3],
      ],
    ])
    wheel.cancel(id)
    expect([map.touch('a'), wheel.pending]).toEqual([true, 1])
  })

  it.each([
    ['a new entry', (map: TimeoutMap<string, number>) => map.set('new', 2)],
    ['a replaced entry', (map: TimeoutMap<string, number>) => map.set('a', 2)],
    ['an own ttl', (map: TimeoutMap<string, number>) => map.set('a', 2, 10)],
    ['a touch', (map: TimeoutMap<string, number>) => map.touch('a')],
    ['a get that refreshes', (map: TimeoutMap<string, number>) => map.get('a')],
  ] as [string, (map: TimeoutMap<string, number>) => unknown][])(
    'sets the timer again for all entries: %s',
    (_name, start) => {
      const { wheel, map, expired } = manualMap<string, number>({ ttl: 10, refreshOnGet: true })
      map.set('a', 1).set('b', 1, 30).set('gone', 1, 3)
      wheel.clear()
      wheel.advance(5)
      start(map)
      expect(wheel.pending).toBe(1)
      wheel.advance(50)
      expect(expired.map(([, key]) => key)).toEqual(expect.arrayContaining(['a', 'b']))
      expect(expired.map(([, key]) => key)).not.toContain('gone')
      expect([map.size, wheel.pending]).toEqual([0, 0])
      // It sets itself again as before.
      map.set('c', 3)
      wheel.advance(10)
      expect(expired.at(-1)).toEqual([3, 'c'])
    },
  )

  it('runs no callback that waits', () => {
    const { wheel, map, expired } = manualMap({ ttl: 10 })
    wheel.schedule(() => {
      expect(map.size).toBe(0)
      expect(wheel.clear()).toBe(1)
    }, 10)
    map.set('a', 1).set('b', 2)
    wheel.advance(50)
    expect([expired, wheel.pending]).toEqual([[], 0])
    map.set('a', 3)
    wheel.advance(10)
    expect(expired).toEqual([[3, 'a']])
  })

  it('can be called by onExpire, which can set entries again', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const map = new backend.TimeoutMap<string, number>({
      ttl: 10,
      wheel,
      onExpire(_value, key) {
        ran.push(key)
        if (key !== 'a') return
        wheel.clear()
        map.set('d', 4)
      },
    })
    map.set('a', 1).set('b', 2).set('c', 3, 15)
    wheel.advance(50)
    expect([ran, map.size, wheel.pending]).toEqual([['a', 'c', 'd'], 0, 0])
  })

  it('lets maps without a timer, stopped wheels and other wheels be', () => {
    const [first, second] = [manualMap({ ttl: 10 }), manualMap({ ttl: 10 })]
    first.map.set('a', 1, Number.POSITIVE_INFINITY)
    second.map.set('a', 1)
    expect([first.wheel.clear(), first.map.size, second.wheel.pending]).toEqual([0, 1, 1])
    second.wheel.stop()
    expect([second.wheel.clear(), second.map.size]).toEqual([0, 1])
  })
})
