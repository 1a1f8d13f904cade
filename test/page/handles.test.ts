/** What programs do to handles and to memory must not stop the other timers of a page. */
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { Timeout as Handle } from '../../lib/api/timeout.js'
import type { TimerWheel } from '../../lib/api/wheel.js'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { REPEATS } from '../../lib/page/handle-state.js'
import { openScheduler } from '../../lib/page/scheduler.js'
import { Timeout } from '../../lib/page/timeout.js'
import { everywhere } from '../contract/everywhere.js'
import { SimulatedPage } from './simulated-page.js'

const RECORDS_PER_BLOCK = 5120

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

const ignore = (): void => {}

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
    const full: unknown[] = []
    let runs = 0
    const interval = wheel.setInterval(() => {
      runs++
      try {
        wheel.schedule(ignore, 1000)
      } catch (error) {
        full.push((error as { code: string }).code)
      }
    }, 10)
    for (let n = 1; n < RECORDS_PER_BLOCK; n++) wheel.schedule(ignore, 500)
    wheel.advance(100)
    expect({ runs, full }).toEqual({ runs: 10, full: new Array(10).fill('ERR_WHEEL_FULL') })
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
    expect(() => wheel.schedule(ignore, 500)).toThrow(expect.objectContaining({ code: 'ERR_WHEEL_FULL' }))
    expect(wheel.pending).toBe(RECORDS_PER_BLOCK)
  })
})

it('counts an interval that its own callback has refreshed as pending, and returns it from stop()', () => {
  const wheel = open()
  const pending: number[] = []
  const interval: Handle = wheel.setInterval(() => {
    pending.push(wheel.pending)
    interval.refresh()
    pending.push(wheel.pending)
  }, 10)
  wheel.advance(20)
  expect(pending).toEqual([0, 1, 0, 1])
  interval.close()
  const last: Handle = wheel.setInterval(() => {
    last.refresh()
    expect(wheel.stop()).toMatchObject([{ remaining: 5 }])
    pending.push(wheel.pending)
  }, 5)
  wheel.advance(5)
  expect(pending.at(-1)).toBe(0)
})

it('does not count an interval as pending while its callback runs, nor return it from stop()', () => {
  const wheel = open()
  const pending: number[] = []
  let left: unknown[] = []
  const interval = wheel.setInterval(() => {
    pending.push(wheel.pending)
    if (pending.length < 2) return
    left = wheel.stop()
    pending.push(wheel.pending)
  }, 10)
  const number = +interval
  wheel.setTimeout(ignore, 1000)
  wheel.advance(20)
  expect({ pending, left: left.length, after: wheel.pending }).toEqual({
    pending: [1, 1, 0],
    left: 1,
    after: 0,
  })
  // The number means nothing any more: it goes to the page.
  wheel.clearTimeout(number)
  expect(interval.refresh()).toBe(interval)
  expect(wheel.stop()).toEqual([])
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
    Object.freeze(wheel.setTimeout(ignore, 10))
    expect(wheel.stop()).toHaveLength(1)
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
    let time = 0
    const scheduler = openScheduler(instantiateWasm, () => time, ignore)
    const ranAt: number[] = []
    const interval = new Timeout(
      scheduler,
      () => {
        ranAt[ranAt.length] = time
        time += 4
      },
      10,
      REPEATS,
    )
    const run = (until: number): void => {
      for (;;) {
        while (scheduler._step());
        const wake = scheduler._nextWake()
        if (wake > until) break
        time = Math.max(time, wake)
      }
      time = until
    }
    scheduler._nextWake()
    time = 10
    attempt(() => run(14))
    time = 15
    const before = ranAt.length
    interval.refresh(50)
    run(100)
    expect(ranAt[before]).toBeGreaterThanOrEqual(65)
  })
})
