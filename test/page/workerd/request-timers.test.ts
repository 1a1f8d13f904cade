/** Shared timers on workerd: each is a timer of the host, in the request that has set it. */
import { beforeEach, expect, it, jest } from '@jest/globals'
import { promisesOn } from '../../../lib/page/promises.js'
import { timeoutSignalOn } from '../../../lib/page/signals.js'
import { familyOn } from '../../../lib/page/timers.js'
import { requestTimersOn } from '../../../lib/workerd/request-timers.js'
import { SimulatedRequests } from './simulated-requests.js'

let requests: SimulatedRequests
let ran: string[]
let timers: ReturnType<typeof familyOn>
const open = () => requestTimersOn(requests.host)
const note = (name: string) => () => ran.push(name)

beforeEach(() => {
  requests = new SimulatedRequests()
  ran = []
  timers = familyOn(open, requests.host)
})

it('throws the error of the host outside of a request, or rejects a promise with it', async () => {
  expect(() => timers.setTimeout(note('outside'), 10)).toThrow('not in a request')
  await expect(promisesOn(open, requests.host).setTimeout(10)).rejects.toThrow('not in a request')
})

it('ignores a timer of the host that is out of date because another request has cleared or refreshed it', async () => {
  const [cleared, later, sooner] = await requests.in('a', () =>
    ['cleared', 'later', 'sooner'].map((name) => timers.setTimeout(note(name), 20)),
  )
  await requests.pass(5)
  await requests.in('b', () => {
    timers.clearTimeout(cleared)
    later!.refresh()
    sooner!.refresh(5)
  })
  expect([requests.pendingOf('a'), requests.pendingOf('b')]).toEqual([3, 2])
  await requests.pass(5)
  expect(ran).toEqual(['sooner'])
  await requests.pass(14)
  expect([ran, requests.pendingOf('a')]).toEqual([['sooner'], 0])
  await requests.pass(1)
  expect(ran).toEqual(['sooner', 'later'])
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

it('runs the next interval after a run that throws, and passes the error on', async () => {
  const error = new Error('thrown')
  const fail = (): never => {
    throw error
  }
  await requests.in('a', () => void timers.setInterval(fail, 10))
  await requests.pass(30)
  expect(requests.errors).toEqual([error, error, error])
})

it('has FinalizationRegistry of the host, or else a class that does nothing: workerd lacks it with old dates', () => {
  const native = globalThis.FinalizationRegistry
  const load = (): typeof native => {
    jest.resetModules()
    return require('../../../lib/page/finalization-registry.js').FinalizationRegistry
  }
  expect(load()).toBe(native)
  Reflect.deleteProperty(globalThis, 'FinalizationRegistry')
  const Registry = load()
  globalThis.FinalizationRegistry = native
  expect(new Registry(() => {}).register({}, 0)).toBe(undefined)
})
