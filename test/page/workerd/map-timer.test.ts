/** A TimeoutMap on workerd that has no wheel: the requests share it, and none of them lives as long as its entries. */
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { TimeoutMap } from 'timeout-wheel'
import { TimerWheel } from '../../../lib/entry/browser.js'
import { timeoutMapClass } from '../../../lib/map/timeout-map.js'
import { clockOfRequests, requestMapEntriesOn } from '../../../lib/workerd/map-timer.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let counts: { _pending: number; _ran: number }
let expired: string[]
/** With an `onExpire` that fills `expired`. */
let map: TimeoutMap<string, number>
const newMap = (options: object) => {
  const Class = timeoutMapClass(requestMapEntriesOn(requests.host, counts, queueMicrotask))
  const onExpire = (_value: number, key: string): unknown => expired.push(key)
  return new Class<string, number>({ ttl: 100, onExpire, ...options })
}

beforeEach(() => {
  requests = new SimulatedRequests()
  counts = { _pending: 0, _ran: 0 }
  expired = []
  map = newMap({})
})

it('counts from the first request, and never back', () => {
  let time = 0
  const clock = clockOfRequests(() => time)
  const read = (now: number): number => {
    time = now
    return clock()
  }
  expect([0, 1_000_000, 1_000_010, 1_000_005].map(read)).toEqual([0, 0, 10, 10])
})

it('uses the wheel of its options', () => {
  const wheel = new TimerWheel({ driver: 'manual' })
  newMap({ wheel }).set('key', 1)
  wheel.advance(100)
  expect([expired, wheel.stats().fired, counts._ran, requests.set]).toEqual([['key'], 1, 0, 0])
})

it('sets no timer without onExpire, and ends entries when the map is used', async () => {
  const quiet = newMap({ onExpire: undefined })
  const look = () => [quiet.get('key'), quiet.size]
  await requests.in('a', () => quiet.set('key', 1))
  requests.end('a')
  await requests.pass(99)
  expect(await requests.in('b', look)).toEqual([1, 1])
  await requests.pass(1)
  expect(await requests.in('c', look)).toEqual([undefined, 0])
  expect(requests.set).toBe(0)
})

describe('calls onExpire', () => {
  it('for an entry with a ttl of 0 that it sets again after the host, as time stands while code runs', async () => {
    let runs = 0
    const again = newMap({ ttl: 0, onExpire: () => ++runs < 1_000 && again.set('key', runs) })
    await requests.in('a', () => again.set('key', 0))
    await requests.in('a', () => again.get('key'))
    const atOnce = runs
    await requests.pass(20)
    expect([atOnce < 5, runs > 5, runs < 50]).toEqual([true, true, true])
  })

  it('at once for a ttl of 0 that the program sets, also after a run', async () => {
    for (const key of ['x', 'y']) {
      await requests.in('a', () => map.set(key, 1, 0))
      await requests.pass(0)
    }
    expect(expired).toEqual(['x', 'y'])
  })

  it('and counts its runs alone, and not one for an entry that was set again', async () => {
    await requests.in('a', () => map.set('key', 1))
    await requests.pass(50)
    await requests.in('a', () => map.set('key', 2))
    await requests.pass(50)
    expect([expired, counts._ran]).toEqual([[], 0])
    await requests.pass(50)
    expect([expired, counts._ran]).toEqual([['key'], 1])
  })

  it('no more after clear(), which clears the timer of the host', async () => {
    await requests.in('a', () => map.set('key', 1).clear())
    expect(requests.pendingOf('a')).toBe(0)
    await requests.in('a', () => map.clear())
  })

  it('once in the next request that uses the due map, however often, and even if it sets no timer', async () => {
    await requests.in('a', () => map.set('x', 1).set('y', 1).set('later', 1, 1_000))
    requests.end('a')
    await requests.pass(100)
    const before = requests.set
    await requests.in('b', () => Array.from({ length: 50 }, () => map.has('later')))
    expect([expired, requests.set - before]).toEqual([['x', 'y'], 1])
    requests.end('b')
    await requests.pass(900)
    await requests.in('c', () => map.size)
    expect([expired, requests.set - before]).toEqual([['x', 'y', 'later'], 1])
  })

  it('on time in a request that uses the map, although the one that has set the timer has ended', async () => {
    await requests.in('a', () => map.set('key', 1))
    requests.end('a')
    await requests.pass(50)
    await requests.in('b', () => map.get('key'))
    await requests.pass(49)
    expect(expired).toEqual([])
    await requests.pass(1)
    expect([expired, counts._ran, requests.pendingOf('b')]).toEqual([['key'], 1, 0])
  })

  it('although the host refuses its timer', async () => {
    await requests.in('a', () => {
      for (let i = 0; i < 100; i++) requests.host._setTimeout(() => {}, 10_000)
      map.set('key', 1)
    })
    await requests.in('b', () => map.size)
    await requests.pass(100)
    expect(expired).toEqual(['key'])
  })

  it('once, although requests that alternate have set timers that none of them can clear', async () => {
    const pending = () => requests.pendingOf('a') + requests.pendingOf('b')
    map = newMap({ ttl: 10_000 })
    await requests.in('a', () => map.set('key', 1))
    for (let i = 0; i < 900; i++) {
      await requests.pass(10)
      await requests.in(i % 2 ? 'a' : 'b', () => map.get('key'))
    }
    expect(Math.max(pending(), requests.set)).toBeLessThan(50)
    await requests.pass(1_000)
    expect([expired, pending()]).toEqual([['key'], 0])
  })
})
