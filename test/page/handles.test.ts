/** What programs do to handles and to memory must not stop the other timers of a page. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { Timeout as Handle } from '../../lib/api/timeout.js'
import type { TimerWheel } from '../../lib/api/wheel.js'
import { RECORDS_PER_BLOCK } from '../../lib/memory/layout.js'
import { REPEATS } from '../../lib/page/handle-state.js'
import { Timeout } from '../../lib/page/timeout.js'
import { everywhere } from '../contract/everywhere.js'
import { SimulatedPage } from './simulated-page.js'
import { virtualScheduler } from './virtual-scheduler.js'

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

const ignore = (): void => {}

const isFull = expect.objectContaining({ code: 'ERR_WHEEL_FULL' })

describe('a wheel without memory for more timers', () => {
  beforeEach(() => {
    jest.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('no memory')
    })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  it('keeps the record of an interval while its callback runs', () => {
    const wheel = open()
    let runs = 0
    const interval = wheel.setInterval(() => {
      runs++
      expect(() => wheel.schedule(ignore, 1000)).toThrow(isFull)
    }, 10)
    for (let n = 1; n < RECORDS_PER_BLOCK; n++) wheel.schedule(ignore, 500)
    wheel.advance(100)
    expect(runs).toBe(10)
    interval.close()
    wheel.schedule(ignore, 1000)
    expect(wheel.pending).toBe(RECORDS_PER_BLOCK)
  })

  it.each<[string, (interval: Handle) => void]>([
    ['cleared', (interval) => interval.close()],
    ['refreshed and cleared', (interval) => interval.refresh().close()],
  ])('frees the record of an interval that is %s in its callback', (_name, end) => {
    const wheel = open()
    const interval: Handle = wheel.setInterval(() => end(interval), 10)
    expect(wheel.pending).toBe(1)
    wheel.advance(50)
    for (let n = 0; n < RECORDS_PER_BLOCK; n++) wheel.schedule(ignore, 500)
    expect(() => wheel.schedule(ignore, 500)).toThrow(isFull)
    expect(wheel.pending).toBe(RECORDS_PER_BLOCK)
  })
})

// The random programs of test/contract/counts look at the counts of an interval while its callback runs.
it('returns an interval that its own callback has refreshed from stop()', () => {
  const wheel = open()
  const left: unknown[] = []
  const interval: Handle = wheel.setInterval(() => {
    interval.refresh()
    left.push(...wheel.stop())
  }, 5)
  wheel.advance(5)
  expect(left).toMatchObject([{ remaining: 5, timeout: interval }])
})

describe('a handle that the program', () => {
  it('has sealed repeats', () => {
    const wheel = open()
    let runs = 0
    Object.seal(wheel.setInterval(() => runs++, 10))
    wheel.advance(30)
    expect(runs).toBe(3)
  })

  it('has frozen throws once, and does not hold up other timers', () => {
    const wheel = open()
    const ran: string[] = []
    Object.freeze(wheel.setTimeout(() => ran.push('frozen'), 10))
    wheel.setTimeout(() => ran.push('other'), 10)
    expect(() => wheel.advance(10)).toThrow(TypeError)
    wheel.advance(10)
    expect({ ran, pending: wheel.pending }).toEqual({ ran: ['other'], pending: 0 })
  })

  it('has frozen, an interval, does not hold up other timers', () => {
    const wheel = open()
    let runs = 0
    Object.freeze(wheel.setInterval(ignore, 5))
    wheel.setInterval(() => runs++, 5)
    for (let n = 0; n < 20; n++) {
      try {
        wheel.advance(5)
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
      }
    }
    expect({ isRun: runs > 3, pending: wheel.pending }).toEqual({ isRun: true, pending: 2 })
  })

  it('has given a close() of its own is returned by stop()', () => {
    const wheel = open()
    const handle = wheel.setTimeout(ignore, 10)
    handle.close = () => {
      throw new Error('not called')
    }
    expect(wheel.stop()).toMatchObject([{ remaining: 10 }])
  })
})

it('runs no interval early that was refreshed after an interrupted run', () => {
  everywhere((attempt) => {
    const { clock, scheduler, run } = virtualScheduler()
    const ranAt: number[] = []
    const interval = new Timeout(
      scheduler,
      () => {
        ranAt[ranAt.length] = clock.time
        clock.time += 4
      },
      10,
      REPEATS,
    )
    scheduler._nextWake()
    clock.time = 10
    attempt(() => run(14))
    clock.time = 15
    const before = ranAt.length
    interval.refresh(50)
    run(100)
    expect(ranAt[before]).toBeGreaterThanOrEqual(65)
  })
})
