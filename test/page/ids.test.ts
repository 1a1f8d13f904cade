/** The ids of `schedule()` in a page that has just loaded the package. */
import { expect, it, jest } from '@jest/globals'
import { scaled } from '../scale.js'

type Entry = typeof import('../../lib/entry/browser.js')

function freshEntry(): Entry {
  let entry!: Entry
  jest.isolateModules(() => {
    entry = require('../../lib/entry/browser.js')
  })
  return entry
}

it('never gives the id 0, which programs use for "no timer"', () => {
  const wheel = new (freshEntry().TimerWheel)({ driver: 'manual' })
  const first = wheel.schedule(() => {}, 10)
  expect(first).toBeGreaterThan(0)
  expect(wheel.cancel(first)).toBe(true)
})

it('distinguishes the ids of two wheels, in every block', () => {
  const { TimerWheel } = freshEntry()
  const wheels = [1, 2].map(() => new TimerWheel({ driver: 'manual' }))
  // More timers than a block has records.
  const ids = wheels.map((wheel) => Array.from({ length: 6000 }, () => wheel.schedule(() => {}, 10)))
  expect(new Set(ids.flat()).size).toBe(12_000)
  const cancelled = (by: number, of: number): number => ids[of]!.filter((id) => wheels[by]!.cancel(id)).length
  expect([cancelled(0, 1), cancelled(1, 0)]).toEqual([0, 0])
  expect([cancelled(0, 0), cancelled(0, 0)]).toEqual([6000, 0])
  wheels[0]!.stop()
  expect([cancelled(0, 1), cancelled(0, 0)]).toEqual([0, 0])
  expect([cancelled(1, 1), cancelled(1, 1)]).toEqual([6000, 0])
})

it('reuses the numbers of stopped wheels, but gives no id twice', () => {
  const { TimerWheel } = freshEntry()
  const ids = new Set<number>()
  // Bits 13 to 26 of an id.
  const numbers = new Set<number>()
  // The large size is more wheels than there are numbers.
  const wheels = scaled(500, 17_000)
  for (let i = 0; i < wheels; i++) {
    const wheel = new TimerWheel({ driver: 'manual' })
    for (let j = 0; j < 2; j++) {
      const id = wheel.schedule(() => {}, 10)
      ids.add(id)
      numbers.add(Math.floor(id / 2 ** 13) % 2 ** 14)
      wheel.cancel(id)
    }
    wheel.stop()
  }
  expect(ids.size).toBe(2 * wheels)
  expect(numbers.size).toBe(1)
})
