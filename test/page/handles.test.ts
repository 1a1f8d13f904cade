/** What programs do to handles must not stop the other timers of a page. */
import type { TimerWheel } from '../../lib/api/wheel.js'
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
