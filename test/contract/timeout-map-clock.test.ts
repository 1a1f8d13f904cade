/** TimeoutMap in real time: how often it reads the clock. */

import { setImmediate } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait, now } from './clock.js'

onEachBackend((backend) => {
  const { TimeoutMap } = backend

  it('ends entries in real time: never early, and without a call', async () => {
    const ttl = 20
    const passed: number[] = []
    const map = new TimeoutMap<number, number>({ onExpire: (started) => passed.push(now() - started) })
    for (let i = 0; i < 500; i++) {
      map.set(i, now(), ttl)
      if (i % 100 === 50) busyWait(3)
    }
    while (passed.length < 500) await setImmediate()
    expect(Math.min(...passed)).toBeGreaterThanOrEqual(ttl)
    expect(map.size).toBe(0)
  })

  it('reads the clock once in 64 calls, and in each turn', async () => {
    const map = new TimeoutMap<string, number>({ ttl: 5 }).set('a', 1)
    busyWait(10)
    const seen = Array.from({ length: 64 }, () => map.has('a'))
    // The entry is seen while calls share a reading, and never again after that.
    expect(seen.at(-1)).toBe(false)
    expect(seen.lastIndexOf(true)).toBeLessThan(seen.indexOf(false))
    map.set('b', 2)
    busyWait(10)
    await undefined
    expect(map.set('c', 3).has('c')).toBe(true)
    // Another microtask, after a reading at the end of the turn: the ttl counts from there at the latest.
    busyWait(10)
    await undefined
    expect(map.has('b')).toBe(false)
  })

  it('holds no more than its entries after many rounds', () => {
    const real = new TimeoutMap<number, object>({ ttl: 1e6 })
    for (let i = 0; i < scaled(5e4, 1e6); i++) real.set(i, {}).delete(i)
    expect([real.size, [...real].length]).toEqual([0, 0])
    // Ends the timer, which is due in a quarter of an hour: in a page it would keep the test's process alive.
    real.clear()
    const wheel = manualWheel(backend)
    const map = new TimeoutMap<number, object>({ ttl: 1000, wheel })
    for (let i = 0; i < scaled(2e4, 1e5); i++) {
      map.set(i % 100, {})
      if (i % 1000 === 0) wheel.advance(1)
    }
    expect(map.size).toBe(100)
    wheel.advance(1000)
    expect([map.size, wheel.pending]).toEqual([0, 0])
  })
})
