/** The histogram of lateness: percentiles within 9 % of the true ones, whatever the values are. */
import { describe, expect, it } from '@jest/globals'
import { openLateness } from '../../lib/common/lateness.js'
import { newSeed, randomFrom } from '../contract/random.js'

function read(values: number[]): ReturnType<ReturnType<typeof openLateness>['_read']> {
  const histogram = openLateness()
  for (const value of values) histogram._add(value)
  return histogram._read()
}

describe('a histogram of lateness', () => {
  it('is all zeros before the first value', () => {
    expect(read([])).toEqual({ count: 0, mean: 0, p50: 0, p99: 0, max: 0 })
  })

  it('knows zeros', () => {
    expect(read([0, 0, 0])).toEqual({ count: 3, mean: 0, p50: 0, p99: 0, max: 0 })
  })

  it('counts values beyond its buckets', () => {
    expect(read([2 ** 40])).toEqual({
      count: 1,
      mean: 2 ** 40,
      p50: 2 ** 29.875,
      p99: 2 ** 29.875,
      max: 2 ** 40,
    })
    expect(read([2 ** -40]).max).toBe(2 ** -40)
  })

  const seed = newSeed()
  it(`finds percentiles within 9 % of the true ones; seed ${seed}`, () => {
    const random = randomFrom(seed)
    for (let round = 0; round < 100; round++) {
      const values = Array.from({ length: 1 + random.below(500) }, () => 2 ** (random() * 20 - 9))
      const sorted = [...values].sort((a, b) => a - b)
      const at = (part: number): number => sorted[Math.ceil(part * sorted.length) - 1]!
      const { count, mean, p50, p99, max } = read(values)
      expect(count).toBe(values.length)
      expect(mean).toBeCloseTo(values.reduce((a, b) => a + b) / count, 6)
      expect(max).toBe(sorted.at(-1))
      for (const [found, exact] of [
        [p50, at(0.5)],
        [p99, at(0.99)],
      ] as const) {
        expect(found).toBeGreaterThanOrEqual(exact)
        expect(found).toBeLessThanOrEqual(Math.min(exact * 2 ** (1 / 8), max) + Number.EPSILON * max)
      }
    }
  })
})
