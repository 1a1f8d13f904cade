/** Promise 6: an interval is set again after its callback, counted from the callback's start. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait } from './clock.js'

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

  it('counts from the start of its callback, however long that takes', async () => {
    const wheel = new backend.TimerWheel()
    const ran: string[] = []
    await new Promise<void>((resolve) => {
      const interval: Timeout = wheel.setInterval(() => {
        ran.push('interval')
        if (ran.length > 1) return interval.close()
        busyWait(20)
        // Counted from here, the interval would be due long after this timer.
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

  it('makes up for no run that it missed', async () => {
    const wheel = new backend.TimerWheel()
    const ran: string[] = []
    await new Promise<void>((resolve) => {
      const interval: Timeout = wheel.setInterval(() => {
        ran.push('interval')
        // Three runs are missed. The next is late, and would be followed by two others at once.
        if (ran.length === 1) busyWait(130)
        if (ran.length === 2) wheel.setTimeout(() => ran.push('set by the second'), 1)
        if (ran.length < 4) return
        interval.close()
        resolve()
      }, 40)
    })
    expect(ran).toEqual(['interval', 'interval', 'set by the second', 'interval'])
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
