/** What programs do to handles must not stop the other timers of a page. */
import { describe, expect, it, jest } from '@jest/globals'
import type { TimerWheel } from '../../lib/api/wheel.js'
import { Timeout } from '../../lib/page/timeout.js'
import { ignore } from '../contract/backends.js'
import { SimulatedPage } from './simulated-page.js'

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

describe('a handle that the program', () => {
  it('has frozen does not hold up other timers: a timeout, which throws once, and an interval', () => {
    const wheel = open()
    const ran: string[] = []
    Object.freeze(wheel.setTimeout(() => ran.push('frozen'), 5))
    wheel.setTimeout(() => ran.push('other'), 5)
    expect(() => wheel.advance(5)).toThrow(TypeError)
    wheel.advance(5)
    expect({ ran, pending: wheel.pending }).toEqual({ ran: ['other'], pending: 0 })
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
})

describe('an interval whose run an exception ends before it can set the next one', () => {
  const overflow = new RangeError('Maximum call stack size exceeded')
  const skipOneEnd = () =>
    jest.spyOn(Timeout.prototype, '_endRun').mockImplementationOnce(() => {
      throw overflow
    })

  it('goes on in virtual time, a delay after the next use', () => {
    const wheel = open()
    const ran: number[] = []
    const interval = wheel.setInterval(() => ran.push(wheel.now), 5)
    skipOneEnd()
    expect(() => wheel.advance(5)).toThrow(overflow)
    expect([ran, interval.pending, wheel.pending]).toEqual([[5], false, 0])
    wheel.advance(20)
    expect([ran, interval.pending, wheel.pending]).toEqual([[5, 10, 15, 20, 25], true, 1])
  })

  it('goes on in a page', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel()
    let runs = 0
    wheel.setInterval(() => runs++, 5)
    skipOneEnd()
    await page.run(50)
    expect([page.errors, runs > 5, wheel.pending]).toEqual([[overflow], true, 1])
  })

  it('ends if it is cleared then', () => {
    const wheel = open()
    let runs = 0
    const interval = wheel.setInterval(() => runs++, 5)
    skipOneEnd()
    expect(() => wheel.advance(5)).toThrow(overflow)
    interval.close()
    wheel.advance(20)
    expect([runs, wheel.pending, wheel.stats().cancelled]).toEqual([1, 0, 1])
  })
})
