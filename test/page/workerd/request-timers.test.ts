/** What requests share on workerd, on a simulated host. test/packed/workerd-requests.test.ts has it on workerd itself. */
import type { TimeoutMap } from 'timeout-wheel'
import { timeoutMapClass } from '../../../lib/map/timeout-map.js'
import { timeoutSignalOn } from '../../../lib/page/signals.js'
import { familyOn } from '../../../lib/page/timers.js'
import { timerGroupOn } from '../../../lib/wheel/group.js'
import { mapEntriesOn } from '../../../lib/wheel/map-timer.js'
import { groupKernelOn, requestTimersOn } from '../../../lib/workerd/request-timers.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let timers: ReturnType<typeof familyOn>
const open = () => requestTimersOn(requests.host)

beforeEach(() => {
  requests = new SimulatedRequests()
  timers = familyOn(open, requests.host)
})

it('rounds a fraction of a millisecond up, which the host would cut off', async () => {
  const signal = await requests.in('a', () => timeoutSignalOn(open)(4.25))
  await requests.pass(4)
  expect(signal.aborted).toBe(false)
  await requests.pass(1)
  expect(signal.aborted).toBe(true)
})

it('runs an interval again from the start of its last run, on a clock that stands still while it runs', async () => {
  const times: number[] = []
  const interval = await requests.in('a', () =>
    timers.setInterval(() => {
      times.push(requests.host._now() - 1_000_000)
      if (times.length === 4) interval.close()
    }, 10),
  )
  // Each run is late by more than an interval. The host shows none of it.
  await requests.pass(100, 15)
  expect(times).toEqual([10, 20, 30, 40])
  expect(requests.pendingOf('a')).toBe(0)
})

it('shows when an interval is due, and that it is not pending while it runs', async () => {
  const states: unknown[] = []
  const look = (): unknown => states.push(interval.pending, interval.remaining)
  const interval = await requests.in('a', () => timers.setInterval(look, 10))
  await requests.pass(15)
  await requests.in('b', look)
  expect(states).toEqual([false, Number.NaN, true, 5])
})

it('runs the next interval after a run that throws, and passes the error on', async () => {
  const error = new Error('thrown')
  const fail = (): never => {
    throw error
  }
  await requests.in('a', () => void timers.setInterval(fail, 10))
  await requests.pass(30)
  expect(requests.errors).toEqual([error, error, error])
})

it('keeps the members of two groups apart', async () => {
  const ran: string[] = []
  const timerGroup = timerGroupOn(() => groupKernelOn(open()))
  const newGroup = () => timerGroup((item: string) => ran.push(item), 10)
  const [first, second] = [newGroup(), newGroup()]
  const [a, b] = await requests.in('a', () => [first.add('a'), first.add('b'), first.add('c')] as const)
  const d = await requests.in('b', () => second.add('d'))
  expect([first.has(d), first.touch(d), first.delete(d), second.has(a)]).toEqual([false, false, false, false])
  await requests.pass(5)
  // Another request cannot clear the timer of the host.
  await requests.in('b', () => [first.delete(a), first.touch(b)])
  await requests.pass(5)
  expect([ran, [...first], second.size]).toEqual([['c', 'd'], ['b'], 0])
  await requests.pass(5)
  expect([ran, first.size]).toEqual([['c', 'd', 'b'], 0])
  await requests.in('a', () => first.add('e'))
  expect(await requests.in('b', () => [first.stop(), first.size])).toEqual([['e'], 0])
  await requests.pass(10)
  expect(ran).toEqual(['c', 'd', 'b'])
})

describe('a map', () => {
  let expired: string[]
  /** With an `onExpire` that fills `expired`. */
  let map: TimeoutMap<string, number>

  beforeEach(() => {
    expired = []
    const Class = timeoutMapClass(
      mapEntriesOn(() => ({ _now: requests.host._now, _set() {}, _soon: queueMicrotask })),
    )
    map = new Class({ ttl: 100, onExpire: (_value, key) => expired.push(key) })
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
})
