/** A TimeoutMap on workerd that has no wheel: the requests share it, and none of them lives as long as its entries. */
import { beforeEach, describe, expect, it } from '@jest/globals'
import { TimerWheel } from '../../../lib/entry/browser.js'
import { timeoutMapClass } from '../../../lib/map/timeout-map.js'
import { clockOfRequests, requestMapTimersOn } from '../../../lib/workerd/map-timer.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let counts: { _pending: number; _ran: number }
let expired: string[]
const newMap = (options: object = {}) => {
  const TimeoutMap = timeoutMapClass(requestMapTimersOn(requests.host, counts, queueMicrotask))
  return new TimeoutMap<string, number>({ ttl: 100, ...options })
}
const watched = (options: object = {}) =>
  newMap({ onExpire: (_value: number, key: string) => expired.push(key), ...options })

beforeEach(() => {
  requests = new SimulatedRequests()
  counts = { _pending: 0, _ran: 0 }
  expired = []
})

it('counts from the first request, and never back', () => {
  let time = 0
  const clock = clockOfRequests(() => time)
  expect(clock()).toBe(0)
  time = 1_000_000
  expect(clock()).toBe(0)
  time += 10
  expect(clock()).toBe(10)
  time -= 5
  expect(clock()).toBe(10)
})

it('uses the wheel of its options', () => {
  const wheel = new TimerWheel({ driver: 'manual' })
  const map = watched({ wheel })
  map.set('key', 1)
  wheel.advance(100)
  expect([expired, wheel.stats().fired, counts._ran, requests.set]).toEqual([['key'], 1, 0, 0])
})

describe('without onExpire', () => {
  it('sets no timer, and ends entries when the map is used', async () => {
    const map = newMap()
    await requests.in('a', () => map.set('key', 1))
    requests.end('a')
    await requests.pass(99)
    expect(await requests.in('b', () => [map.get('key'), map.size])).toEqual([1, 1])
    await requests.pass(1)
    expect(await requests.in('c', () => [map.get('key'), map.size])).toEqual([undefined, 0])
    expect(requests.set).toBe(0)
  })
})

describe('with onExpire', () => {
  it('lets an entry with a ttl of 0 that it sets again wait for the host, as time stands while code runs', async () => {
    let runs = 0
    const map = newMap({
      ttl: 0,
      onExpire() {
        if (++runs < 1_000) map.set('key', runs)
      },
    })
    await requests.in('a', () => map.set('key', 0))
    await requests.in('a', () => map.get('key'))
    const atOnce = runs
    await requests.pass(20)
    expect([atOnce < 5, runs > 5, runs < 50]).toEqual([true, true, true])
  })

  it('calls it at once for a ttl of 0 that the program sets, also after a run', async () => {
    const map = watched({ ttl: 0 })
    for (const key of ['x', 'y']) {
      await requests.in('a', () => map.set(key, 1))
      await requests.pass(0)
    }
    expect(expired).toEqual(['x', 'y'])
  })

  it('counts the runs of the callback alone, and not one for an entry that was set again', async () => {
    const map = watched()
    await requests.in('a', () => map.set('key', 1))
    await requests.pass(50)
    await requests.in('a', () => map.set('key', 2))
    await requests.pass(50)
    expect([expired, counts._ran]).toEqual([[], 0])
    await requests.pass(50)
    expect([expired, counts._ran]).toEqual([['key'], 1])
  })

  it('clears the timer of the host with its last entry', async () => {
    const map = watched()
    await requests.in('a', () => {
      map.set('key', 1)
      map.clear()
      map.clear()
    })
    expect(requests.pendingOf('a')).toBe(0)
  })

  it('runs once for a request that uses the due map many times', async () => {
    const map = watched()
    await requests.in('a', () => map.set('key', 1))
    await requests.in('a', () => map.set('later', 1, 1_000))
    requests.end('a')
    await requests.pass(100)
    const before = requests.set
    await requests.in('b', () => {
      for (let i = 0; i < 50; i++) map.has('later')
    })
    expect([expired, requests.set - before]).toEqual([['key'], 1])
  })

  it('calls it on time in a request that uses the map, although the one that has set the timer has ended', async () => {
    const map = watched()
    await requests.in('a', () => map.set('key', 1))
    requests.end('a')
    await requests.pass(50)
    await requests.in('b', () => map.get('key'))
    await requests.pass(49)
    expect(expired).toEqual([])
    await requests.pass(1)
    expect([expired, counts._ran]).toEqual([['key'], 1])
    expect(requests.pendingOf('b')).toBe(0)
  })

  it('calls it in the next request that uses the map, even if that sets no timer', async () => {
    const map = watched()
    await requests.in('a', () => {
      for (const key of ['x', 'y', 'z']) map.set(key, 1)
    })
    requests.end('a')
    await requests.pass(100)
    await requests.in('b', () => map.size)
    expect(expired).toEqual(['x', 'y', 'z'])
  })

  it('accepts entries before the first request, whose ttl starts with that request', async () => {
    const map = watched()
    map.set('key', 1)
    await new Promise(setImmediate)
    await requests.in('a', () => map.get('key'))
    await requests.pass(99)
    expect(expired).toEqual([])
    await requests.pass(1)
    expect(expired).toEqual(['key'])
    map.clear()
  })

  it('goes on if the host refuses its timer', async () => {
    const map = watched()
    await requests.in('a', () => {
      for (let i = 0; i < 100; i++) requests.host._setTimeout(() => {}, 10_000)
      map.set('key', 1)
    })
    await requests.in('b', () => map.size)
    await requests.pass(100)
    expect(expired).toEqual(['key'])
  })

  it('runs once, although requests that alternate have set timers that none of them can clear', async () => {
    const map = watched({ ttl: 10_000 })
    await requests.in('a', () => map.set('key', 1))
    for (let i = 0; i < 900; i++) {
      await requests.pass(10)
      await requests.in(i % 2 ? 'a' : 'b', () => map.get('key'))
    }
    expect(requests.pendingOf('a') + requests.pendingOf('b')).toBeLessThan(50)
    expect(requests.set).toBeLessThan(50)
    await requests.pass(1_000)
    expect([expired, requests.pendingOf('a') + requests.pendingOf('b')]).toEqual([['key'], 0])
  })
})
