/** After its callback, an interval is set again; the delay counts from the start of the callback. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait } from './clock.js'

onEachBackend((backend) => {
  it('runs each time its delay has passed', () => {
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

  it('counts its delay from the start of its callback, even of a long one', async () => {
    const wheel = new backend.TimerWheel()
    const ran: string[] = []
    await new Promise<void>((resolve) => {
      const interval: Timeout = wheel.setInterval(() => {
        ran.push('interval')
        if (ran.length > 1) return interval.close()
        busyWait(20)
        // An interval that counted from here would be due long after this timer.
        wheel.setTimeout(() => {
          ran.push('set at the end of its callback')
          interval.close()
          resolve()
        }, 5)
        return undefined
      }, 20)
    })
    expect(ran).toEqual(['interval', 'interval', 'set at the end of its callback'])
  })

  it('does not catch up on missed runs', async () => {
    const wheel = new backend.TimerWheel()
    const ran: string[] = []
    await new Promise<void>((resolve) => {
      const interval: Timeout = wheel.setInterval(() => {
        ran.push('interval')
        // The wheel misses three runs. The next run is late; catching up would add two more at once.
        if (ran.length === 1) busyWait(130)
        if (ran.length === 2) wheel.setTimeout(() => ran.push('set by the second'), 1)
        if (ran.length < 4) return
        interval.close()
        resolve()
      }, 40)
    })
    expect(ran).toEqual(['interval', 'interval', 'set by the second', 'interval'])
  })

  it('keeps its number over all runs', () => {
    const wheel = manualWheel(backend)
    let runs = 0
    const number = +wheel.setInterval(() => runs++, 10)
    wheel.advance(35)
    wheel.clearInterval(number)
    wheel.advance(100)
    expect([runs, wheel.pending]).toEqual([3, 0])
  })
})
