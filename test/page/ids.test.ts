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
