/** Shared timers and groups on workerd: each timer is one of the host. test/packed/workerd-requests.test.ts has their requests. */
import { beforeEach, expect, it } from '@jest/globals'
import { timeoutSignalOn } from '../../../lib/page/signals.js'
import { familyOn } from '../../../lib/page/timers.js'
import { countdownsOn } from '../../../lib/wheel/countdown.js'
import { timerGroupOn } from '../../../lib/wheel/group.js'
import { groupKernelOn, requestTimersOn } from '../../../lib/workerd/request-timers.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let timers: ReturnType<typeof familyOn>
const open = () => requestTimersOn(requests.host)

beforeEach(() => {
  requests = new SimulatedRequests()
  timers = familyOn(open, requests.host)
})

it.each([
  ['rounds a fraction of a millisecond up, which the host would cut off:', 4.25],
  ['waits in parts for a delay that the host does not take as a whole:', 5 * 2 ** 31 + 0.5],
])('%s %d ms', async (_what, delay) => {
  const signal = await requests.in('a', () => timeoutSignalOn(open)(delay))
  await requests.pass(Math.floor(delay))
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
  const timerGroup = timerGroupOn(() => groupKernelOn(countdownsOn(open)))
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
