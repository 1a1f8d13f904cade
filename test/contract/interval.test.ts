/** Promise 6: an interval is set again after its callback, counted from the callback's start. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait, now, ROUNDING } from './clock.js'

onEachBackend((backend) => {
  it('runs every time its delay has passed', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const interval = wheel.setInterval(() => runs++, 10)
    wheel.advance(9)
    expect(runs).toBe(0)
    wheel.advance(1)
    expect(runs).toBe(1)
    wheel.advance(100)
    expect(runs).toBe(11)
    expect(wheel.pending).toBe(1)
    interval.close()
    wheel.advance(100)
    expect(runs).toBe(11)
  })

  it('is not pending while its callback runs', () => {
    const wheel = manualWheel(backend)
    const pending: number[] = []
    const interval = wheel.setInterval(() => pending.push(wheel.pending), 10)
    wheel.advance(20)
    expect(pending).toEqual([0, 0])
    interval.close()
  })

  it('takes its turn behind what was set before it is set again', () => {
    const wheel = manualWheel(backend)
    const ran: string[] = []
    const interval = wheel.setInterval(() => {
      ran.push('interval')
      wheel.schedule(() => ran.push('set by the interval'), 10)
    }, 10)
    wheel.advance(20)
    expect(ran).toEqual(['interval', 'set by the interval', 'interval'])
    interval.close()
  })

  it('takes another delay from refresh(delay) on', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const interval = wheel.setInterval(() => runs++, 10)
    interval.refresh(3)
    wheel.advance(30)
    expect(runs).toBe(10)
    interval.close()
  })

  it('counts from the start of its callback, and makes up for no run that it missed', async () => {
    const starts: number[] = []
    await new Promise<void>((resolve) => {
      const interval = backend.setInterval(() => {
        starts.push(now())
        // The second run blocks the event loop for three delays.
        busyWait(starts.length === 2 ? 30 : 4)
        if (starts.length < 5) return
        interval.close()
        resolve()
      }, 10)
    })
    const gaps = starts.slice(1).map((start, i) => start - starts[i]!)
    expect(gaps[1]).toBeGreaterThanOrEqual(30 - ROUNDING)
    // Each start was read a moment after the wheel read it: the gaps may fall short of the delay by that moment.
    expect(Math.min(...gaps)).toBeGreaterThan(5)
  })

  it('keeps its number for as long as it runs', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const number = +wheel.setInterval(() => runs++, 10)
    wheel.advance(35)
    wheel.clearInterval(number)
    wheel.advance(100)
    expect([runs, wheel.pending]).toEqual([3, 0])
  })
})
