/** The histogram of lateness: percentiles within 9 % of the true ones, whatever the values are. */
import { openLateness } from '../../lib/common/lateness.js'
import { newSeed, randomFrom } from '../contract/random.js'

function read(values: number[]): ReturnType<ReturnType<typeof openLateness>['read']> {
  const histogram = openLateness()
  for (const value of values) histogram.add(value)
  return histogram.read()
}

const seed = newSeed()
it(`finds percentiles within 9 % of the true ones; seed ${seed}`, () => {
  const random = randomFrom(seed)
  for (let round = 0; round < 100; round++) {
    const values = Array.from({ length: 1 + random.below(500) }, () => 2 ** (random() * 20 - 9))
    const sorted = [...values].sort((a, b) => a - b)
    const { count, mean, p50, p99, max } = read(values)
    expect([count, max]).toEqual([values.length, sorted.at(-1)])
    expect(mean).toBeCloseTo(values.reduce((a, b) => a + b) / count, 6)
    for (const [part, found] of Object.entries({ 0.5: p50, 0.99: p99 })) {
      const exact = sorted[Math.ceil(Number(part) * sorted.length) - 1]!
      expect(found).toBeGreaterThanOrEqual(exact)
      expect(found).toBeLessThanOrEqual(Math.min(exact * 2 ** (1 / 8), max) + Number.EPSILON * max)
    }
  }
})
