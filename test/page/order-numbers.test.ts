/** Order numbers start again after a billion operations; in these tests after a few. */
import { describe, expect, it, jest } from '@jest/globals'
import { EPOCH_LENGTH, ORDER_NUMBER } from '../../lib/memory/layout.js'
import type { Backend, Wheel } from '../contract/backends.js'
import { runGroupProgram } from '../contract/group-program.js'
import { runProgram } from '../contract/model-program.js'
import { forEachSeed, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { virtualScheduler } from './virtual-scheduler.js'

/** Loads code of pages with a number of its own from which order numbers start again. */
function load<Module>(file: string, lastOrder: () => number): Module {
  const constants = '../../lib/common/epochs.js'
  const mock = () =>
    Object.defineProperty({ ...jest.requireActual<object>(constants) }, 'LAST_ORDER', { get: lastOrder })
  jest.resetModules()
  jest.doMock(constants, mock)
  return require(file)
}

const pageWith = (lastOrder: number): typeof import('../../lib/page/scheduler.js') =>
  load('../../lib/page/scheduler.js', () => lastOrder)

/** The entry for pages. Its order numbers start again after so many operations, besides twice the pending timers. */
function entryWith(after: number): Backend {
  const wheels: Wheel[] = []
  const pending = () => Math.max(0, ...wheels.map((wheel) => wheel.pending))
  const page: Backend = load('../../lib/entry/browser.js', () => after + 2 * pending())
  const construct = (Class: Backend['TimerWheel'], args: object[]): Wheel => {
    const wheel = new Class(...args)
    wheels.push(wheel)
    return wheel
  }
  return { ...page, TimerWheel: new Proxy(page.TimerWheel, { construct }) }
}

describe('when order numbers start again', () => {
  it('runs random programs like a sorted list', () => {
    forEachSeed(scaled(5, 60), (seed) => {
      runProgram(entryWith(20 + (seed % 400)), seed)
      runGroupProgram(entryWith(20 + (seed % 400)), seed)
    })
  })

  it('gives pending timers the lowest numbers, in their order, and new timers the next ones', () => {
    const lastOrder = 3 * EPOCH_LENGTH
    const { scheduler } = virtualScheduler(pageWith(lastOrder).openScheduler)
    const units: number[] = []
    const { below } = randomFrom(1)
    for (let n = 0; n < 2_000; n++) {
      if (units.length > 20) scheduler._cancel(units.splice(below(units.length), 1)[0]!)
      units.push(scheduler._schedule(0, () => {}, 50))
      const numbers = units.map((unit) => scheduler._words()[(unit << 2) | ORDER_NUMBER]!)
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      // The check comes once in an epoch.
      expect(numbers.at(-1)).toBeLessThanOrEqual(lastOrder + EPOCH_LENGTH)
    }
  })

  it('runs no timer early that was set since the last reading of the clock', () => {
    const { clock, scheduler, run } = virtualScheduler(pageWith(2 * EPOCH_LENGTH + 30).openScheduler)
    clock.time = 0.5
    // So that the next number is not the number of pending timers.
    for (let n = 0; n < EPOCH_LENGTH; n++) scheduler._cancel(scheduler._schedule(0, () => {}, 100))
    const waited: number[] = []
    for (let n = 0; n < 300; n++) {
      const set = clock.time
      // Due after all are set, because running a timer reads the clock.
      scheduler._schedule(0, () => waited.push(clock.time - set), 100)
      // So short that 64 operations share a reading. A tick ends in the epoch before the renumbering.
      clock.time += 0.007
    }
    run()
    expect(waited.length).toBe(300)
    expect(Math.min(...waited)).toBeGreaterThanOrEqual(100)
  })
})
