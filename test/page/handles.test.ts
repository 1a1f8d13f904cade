/** What programs do to handles must not stop the other timers of a page. */
import type { TimerWheel } from '../../lib/api/wheel.js'
import { Timeout } from '../../lib/page/timeout.js'
import { ignore } from '../contract/backends.js'
import { SimulatedPage } from './simulated-page.js'

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

it('runs other timers beside a handle that the program has frozen: a timeout, which throws once, and an interval', () => {
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

it('goes on with an interval whose run an exception ends before it can set the next one, and lets the program clear it', () => {
  const overflow = new RangeError('Maximum call stack size exceeded')
  const wheel = open()
  const ran: number[] = []
  const interval = wheel.setInterval(() => ran.push(wheel.now), 5)
  const advanceWithoutEnd = (): void => {
    jest.spyOn(Timeout.prototype, '_endRun').mockImplementationOnce(() => {
      throw overflow
    })
    expect(() => wheel.advance(5)).toThrow(overflow)
  }
  advanceWithoutEnd()
  expect([ran, interval.pending, wheel.pending]).toEqual([[5], false, 0])
  wheel.advance(20)
  expect([ran, interval.pending, wheel.pending]).toEqual([[5, 10, 15, 20, 25], true, 1])
  advanceWithoutEnd()
  interval.close()
  wheel.advance(20)
  expect([ran.length, wheel.pending, wheel.stats().cancelled]).toEqual([6, 0, 1])
})
