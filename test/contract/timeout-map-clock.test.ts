/** TimeoutMap in real time: how often it reads the clock. */

import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { onEachBackend } from './backends.js'
import { busyWait, now } from './clock.js'
import { mapsOn } from './timeout-maps.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend
  const manualMap = mapsOn(backend)

  it('ends entries in real time: never early, and without a call', async () => {
    const ttl = 20
    const early: number[] = []
    let ended = 0
    const started: number[] = []
    const map = new TimeoutMap<number, number>({
      onExpire: (_value, key) => {
        ended++
        if (now() - started[key]! < ttl) early.push(key)
      },
    })
    for (let i = 0; i < 500; i++) {
      started[i] = now()
      map.set(i, i, ttl)
      if (i % 100 === 50) busyWait(3)
    }
    while (ended < 500) await setImmediate()
    expect(early).toEqual([])
    expect(map.size).toBe(0)
  })

  it('reads the clock once in 64 calls', () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 })
    map.set('a', 1)
    busyWait(10)
    const seen: boolean[] = []
    for (let i = 0; i < 64; i++) seen.push(map.has('a'))
    // The entry is seen while calls share a reading, and never again after that.
    expect(seen.at(-1)).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
  })

  it('reads the clock in each turn', async () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 })
    map.set('a', 1)
    busyWait(10)
    await undefined
    expect(map.set('b', 2).has('b')).toBe(true)
    // Another microtask, after a reading at the end of the turn: the ttl counts from there at the latest.
    busyWait(10)
    await undefined
    expect(map.has('a')).toBe(false)
  })

  it('holds no more than its entries after many rounds', () => {
    const real = new TimeoutMap<number, object>({ ttl: 1e6 })
    for (let i = 0; i < scaled(5e4, 1e6); i++) {
      real.set(i, {})
      real.delete(i)
    }
    expect([real.size, [...real].length]).toEqual([0, 0])
    // Ends the timer, which is due in a quarter of an hour: in a page it would keep the test's process alive.
    real.clear()
    const { wheel, map } = manualMap<number, object>({ ttl: 1000, onExpire: undefined })
    for (let i = 0; i < scaled(2e4, 1e5); i++) {
      map.set(i % 100, {})
      if (i % 1000 === 0) wheel.advance(1)
    }
    expect(map.size).toBe(100)
    wheel.advance(1000)
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })
})
