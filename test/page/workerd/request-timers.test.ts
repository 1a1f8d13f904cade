/** Shared timers on workerd: each is a timer of the host. test/packed/workerd-requests.test.ts has their requests, and groups. */
import { beforeEach, expect, it } from '@jest/globals'
import { timeoutSignalOn } from '../../../lib/page/signals.js'
import { familyOn } from '../../../lib/page/timers.js'
import { requestTimersOn } from '../../../lib/workerd/request-timers.js'
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
