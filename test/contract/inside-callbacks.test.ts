/** Callbacks may schedule, cancel and refresh timers, and stop the wheel. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'
import { wholeTurn } from './clock.js'

onEachBackend((backend) => {
  it('skips a timer that an earlier callback of the same tick cancelled', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    wheel.schedule(() => {
      ran.push('first')
      expect(wheel.cancel(id)).toBe(true)
      wheel.clearTimeout(timeout)
    }, 5)
    const id = wheel.schedule(() => ran.push('cancelled'), 5)
    const timeout = wheel.setTimeout(() => ran.push('cleared'), 5)
    wheel.schedule(() => ran.push('last'), 5)
    wheel.advance(100)
    expect(ran).toEqual(['first', 'last'])
  })

  it('runs a timer that an earlier callback of the same tick put off at its new time', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    wheel.schedule(() => {
      wheel.reschedule(id, 10)
      timeout.refresh()
    }, 5)
    const id = wheel.schedule(() => ran.push('rescheduled'), 5)
    const timeout = wheel.setTimeout(() => ran.push('refreshed'), 5)
    wheel.advance(9)
    expect(ran).toEqual([])
    wheel.advance(1)
    expect(ran).toEqual(['refreshed'])
    wheel.advance(5)
    expect(ran).toEqual(['refreshed', 'rescheduled'])
  })

  it('runs no timer early that takes the record of a timer cancelled in the same tick', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    wheel.schedule(() => {
      for (const id of ids) wheel.cancel(id)
      for (let i = 0; i < 10; i++) wheel.schedule(() => ran.push('new'), i)
    }, 5)
    const ids = Array.from({ length: 10 }, () => wheel.schedule(() => ran.push('cancelled'), 5))
    wheel.advance(5)
    expect(ran).toEqual([])
    wheel.advance(10)
    expect(ran).toEqual(Array(10).fill('new'))
  })

  it('ignores a stale id whose record serves a timer that a callback set', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    const id = wheel.schedule(() => {
      const next = wheel.schedule(() => ran++, 5)
      expect(next).not.toBe(id)
      expect([wheel.cancel(id), wheel.reschedule(id, 1_000)]).toEqual([false, false])
    }, 5)
    wheel.advance(10)
    expect(ran).toBe(1)
  })

  it('does not run a timer again if its callback refreshes and then clears it', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const timeout = wheel.setTimeout(() => {
      runs++
      timeout.refresh()
      wheel.clearTimeout(timeout)
      timeout.refresh()
    }, 10)
    wheel.advance(100)
    expect([runs, wheel.pending]).toEqual([1, 0])
  })

  it('runs no further callback after a callback stops the wheel', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    let left: unknown[] = []
    wheel.schedule(() => {
      ran.push('first')
      left = wheel.stop()
    }, 5)
    for (const delay of [5, 6, 1_000]) wheel.setTimeout(() => ran.push('later'), delay)
    wheel.setInterval(() => ran.push('interval'), 5)
    wheel.advance(2_000)
    expect(ran).toEqual(['first'])
    expect(left).toHaveLength(4)
    expect(wheel.pending).toBe(0)
    wheel.advance(2_000)
    expect(ran).toEqual(['first'])
  })

  it('runs no further callback after a callback stops the wheel on the event loop', async () => {
    const wheel = new backend.TimerWheel()
    const ran: string[] = []
    let left: unknown[] = []
    await new Promise<void>((resolve) => {
      wheel.schedule(() => {
        ran.push('first')
        left = wheel.stop()
        resolve()
      }, 5)
      for (let i = 0; i < 5_000; i++) wheel.schedule(() => ran.push('later'), 5)
    })
    // All timers are due: a wheel that did not stop would run them in this slice or in the next turns.
    for (let i = 0; i < 3; i++) await wholeTurn()
    expect([ran, left.length]).toEqual([['first'], 5_000])
  })

  it('grows if callbacks set more timers than it has room for', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    for (let i = 0; i < 3; i++) {
      wheel.schedule(() => {
        for (let n = 0; n < 30_000; n++) wheel.schedule(() => ran.push(i), 10)
      }, 5)
    }
    wheel.advance(5)
    expect(wheel.pending).toBe(90_000)
    wheel.advance(10)
    expect(ran).toEqual([0, 1, 2].flatMap((i) => Array<number>(30_000).fill(i)))
  })

  it('lets a callback advance another wheel', () => {
    const outer = manualWheel(backend)
    const inner = manualWheel(backend)
    const ran: string[] = []
    inner.schedule(() => ran.push('inner'), 5)
    outer.schedule(() => inner.advance(5), 5)
    outer.schedule(() => ran.push('outer'), 5)
    outer.advance(5)
    expect(ran).toEqual(['inner', 'outer'])
  })

  it('ends an interval whose callback stops the wheel, uses the handle and throws', () => {
    for (const use of ['refresh', 'close', 'unref', 'ref'] as const) {
      const wheel = manualWheel(backend)
      const interval = wheel.setInterval(() => {
        expect(wheel.stop().length).toBe(2)
        interval[use]()
        throw new Error('from the interval')
      }, 2)
      wheel.setTimeout(() => {}, 50)
      wheel.schedule(() => {}, 2)
      expect(() => wheel.advance(5)).toThrow('from the interval')
      expect([wheel.pending, wheel.stop()]).toEqual([0, []])
      expect(() => wheel.setTimeout(() => {}, 1)).toThrow(
        expect.objectContaining({ code: 'ERR_WHEEL_STOPPED' }),
      )
    }
  })
})
