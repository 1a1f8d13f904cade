/** The ids of `schedule()` in a page that has just loaded the package. */
import { expect, it, jest } from '@jest/globals'
import { scaled } from '../scale.js'

type Entry = typeof import('../../lib/entry/browser.js')

function freshEntry(): Entry {
  jest.resetModules()
  return require('../../lib/entry/browser.js')
}

it('never gives the id 0, which programs use for "no timer"', () => {
  const wheel = new (freshEntry().TimerWheel)({ driver: 'manual' })
  const first = wheel.schedule(() => {}, 10)
  expect(first).toBeGreaterThan(0)
  expect(wheel.cancel(first)).toBe(true)
})

it('reuses the numbers of stopped wheels, but gives no id twice, and none that names a native timer or a handle', () => {
  const { TimerWheel, setTimeout } = freshEntry()
  const firstHandle = +setTimeout(() => {}, 0)
  const ids = new Set<number>()
  // Bits 13 to 26 of an id.
  const numbers = new Set<number>()
  // The large size is more wheels than there are numbers.
  const wheels = scaled(500, 17_000)
  const uses = 40
  for (let i = 0; i < wheels; i++) {
    const wheel = new TimerWheel({ driver: 'manual' })
    for (let j = 0; j < uses; j++) {
      const id = wheel.schedule(() => {}, 10)
      // The native clearTimeout reads an id modulo 2^32. The numbers of handles begin above all ids.
      if ((id | 0) > 0 || !Number.isSafeInteger(id) || id >= 2 ** 52) throw new Error(`the id ${id}`)
      ids.add(id)
      numbers.add(Math.floor(id / 2 ** 13) % 2 ** 14)
      // Every second record is used again at once.
      if (j % 2 === 1) wheel.cancel(id)
    }
    wheel.stop()
  }
  expect(firstHandle).toBeGreaterThan(2 ** 52)
  expect(ids.size).toBe(uses * wheels)
  expect(numbers.size).toBe(1)
})
