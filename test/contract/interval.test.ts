/** After its callback, an interval is set again; the delay counts from the start of the callback. */
import { expect, it } from '@jest/globals'
import type { Timeout } from 'timeout-wheel'
import { manualWheel, onEachBackend } from './backends.js'
import { busyWait } from './clock.js'

onEachBackend((backend) => {
  it('runs each time its delay has passed, until it is cleared by its number', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    const number = +wheel.setInterval(() => ran.push(wheel.now), 10)
    wheel.advance(39)
    expect([ran, wheel.pending]).toEqual([[10, 20, 30], 1])
    wheel.clearInterval(number)
    wheel.advance(100)
    expect([ran.length, wheel.pending]).toEqual([3, 0])
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
})
