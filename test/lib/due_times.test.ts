/** The times of far deadlines, over all units that a wheel may have: more than one Map takes. */
import { expect, it } from '@jest/globals'
import { DueTimes } from '../../lib/due_times.js'

const UNITS = [1, 2 ** 22 - 1, 2 ** 22, 2 ** 24, 2 ** 26 - 1]

it('keeps one time for each unit', () => {
  const times = new DueTimes()
  for (const unit of UNITS) times.set(unit, unit + 0.5)
  times.set(2 ** 24, 7)
  expect(UNITS.map((unit) => times.get(unit))).toEqual(
    UNITS.map((unit) => (unit === 2 ** 24 ? 7 : unit + 0.5)),
  )
  expect(times.size).toBe(UNITS.length)
})

it('knows nothing of what was deleted, or was never set', () => {
  const times = new DueTimes()
  expect(times.get(2 ** 25)).toBeUndefined()
  times.delete(2 ** 25)
  for (const unit of UNITS) times.set(unit, 1)
  for (const unit of UNITS) times.delete(unit)
  times.delete(UNITS[0]!)
  expect(times.size).toBe(0)
  expect(UNITS.map((unit) => times.get(unit))).toEqual(UNITS.map(() => undefined))
})

it('divides the units, so that no part has more than a Map takes', () => {
  const times = new DueTimes()
  for (const unit of UNITS) times.set(unit, 1)
  const { parts } = times as unknown as { parts: Map<number, number>[] }
  const widths = parts.map((part) => Math.max(...part.keys()) - Math.min(...part.keys()))
  expect(Math.max(...widths)).toBeLessThan(2 ** 24)
})
