/**
 * A TimeoutMap on workerd that has no wheel: the requests share it, and none of them lives as long as its entries.
 * test/packed/workerd-requests.test.ts has one on workerd itself.
 */
import { beforeEach, expect, it } from '@jest/globals'
import type { TimeoutMap } from 'timeout-wheel'
import { timeoutMapClass } from '../../../lib/map/timeout-map.js'
import { mapEntriesOn } from '../../../lib/wheel/map-timer.js'
import { requestMapTimerOn } from '../../../lib/workerd/request-timers.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let expired: string[]
/** With an `onExpire` that fills `expired`. */
let map: TimeoutMap<string, number>
const newMap = (options: object) => {
  const Class = timeoutMapClass(mapEntriesOn(requestMapTimerOn(requests.host._now, queueMicrotask)))
  const onExpire = (_value: number, key: string): unknown => expired.push(key)
  return new Class<string, number>({ ttl: 100, onExpire, ...options })
}

beforeEach(() => {
  requests = new SimulatedRequests()
  expired = []
  map = newMap({})
})

it('calls onExpire for no entry that was set again or cleared', async () => {
  await requests.in('a', () => map.set('again', 1).set('key', 1))
  await requests.pass(50)
  await requests.in('b', () => map.set('again', 2))
  await requests.pass(50)
  await requests.in('a', () => map.size)
  expect(expired).toEqual(['key'])
  await requests.in('a', () => map.clear())
  await requests.pass(100)
  await requests.in('b', () => map.size)
  expect(expired).toEqual(['key'])
})

it('calls onExpire for all entries that have expired in the microtasks of the next call', async () => {
  await requests.in('a', () => {
    for (let i = 0; i < 2500; i++) map.set(`${i}`, i)
  })
  await requests.pass(100)
  await requests.in('b', () => {
    expect([map.size, expired.length]).toEqual([0, 0])
  })
  expect(expired.length).toBe(2500)
})

it('calls onExpire for an entry with a ttl of 0 that it sets again in a later call, as time stands while code runs', async () => {
  let runs = 0
  const again = newMap({ ttl: 0, onExpire: () => again.set('key', ++runs) })
  await requests.in('a', () => again.set('key', 0))
  for (let i = 1; i <= 3; i++) {
    await requests.pass(1)
    await requests.in('a', () => again.size)
    expect(runs).toBe(i)
  }
})
