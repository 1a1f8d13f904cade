/** What interruptions leave behind in pages: see test/contract/interrupted-methods. */
import { expect, it } from '@jest/globals'
import type { TimerWheel } from '../../lib/api/wheel.js'
import { everywhere } from '../contract/everywhere.js'
import { SimulatedPage } from './simulated-page.js'

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

const ignore = (): void => {}

/** The number of the block in the first id of a new wheel. */
function nextNumber(): number {
  const wheel = open()
  const id = wheel.schedule(ignore, 1)
  wheel.stop()
  return Math.floor(id / 2 ** 13) % 2 ** 14
}

it('loses no number of ids in an interrupted stop() or schedule()', () => {
  const first = nextNumber()
  everywhere((attempt) => {
    const wheel = open()
    attempt(() => wheel.schedule(ignore, 10))
    wheel.schedule(ignore, 10)
    attempt(() => wheel.stop())
    wheel.stop()
    expect(nextNumber()).toBe(first)
  })
})

it('ends the worker of a wheel after an interrupted stop()', () => {
  everywhere((attempt) => {
    const page = new SimulatedPage({ workers: 'run' })
    const wheel = new page.api.TimerWheel({ driver: 'worker' })
    attempt(() => wheel.stop())
    wheel.stop()
    expect(page.workers).toBe(0)
  })
})
