import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const batch = 1_000
/** One timer in so many reads the clock, because a reading costs about as much as a timer. */
const sampleEvery = 8

/**
 * Sets `count` timers of random delays and waits until all have run.
 *
 * @param {Timers} timers
 * @param {{ count: number, longest: number, watch?: (left: () => number) => void }} options  `longest` is the
 *   longest delay in milliseconds. `watch` is called when all timers are set.
 * @returns {Promise<{ cpu: number, wall: number, earliest: number, late50: number, late99: number }>}  `cpu` in nanoseconds per
 *   timer, the others in milliseconds.
 */
export async function setAndFire(timers, { count, longest, watch }) {
  const random = randomNumbers(2)
  const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))
  const due = new Float64Array(Math.ceil(count / sampleEvery))
  const lateness = new Float64Array(due.length)
  let left = count
  /** @type {() => void} */
  let finish
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined)
  })

  const onTimeout = () => {
    if (--left === 0) finish()
  }

  /** @param {number} sample */
  const onSampledTimeout = (sample) => {
    lateness[sample] = performance.now() - due[sample]
    if (--left === 0) finish()
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  const setSome = (from, to) => {
    for (let i = from; i < to; i++) {
      const delay = delays[i]
      if (i % sampleEvery === 0) {
        const sample = i / sampleEvery
        due[sample] = performance.now() + delay
        timers.setWith(onSampledTimeout, delay, sample)
      } else {
        timers.set(onTimeout, delay)
      }
    }
  }

  collectGarbage()
  const start = performance.now()
  const cpuStart = process.cpuUsage()
  for (let from = 0; from < count; from += batch) {
    setSome(from, Math.min(from + batch, count))
    await nextTurn()
  }
  watch?.(() => left)
  await finished
  const { user, system } = process.cpuUsage(cpuStart)
  const wall = performance.now() - start

  lateness.sort()
  return {
    cpu: ((user + system) * 1e3) / count,
    wall,
    earliest: lateness[0],
    late50: quantile(lateness, 0.5),
    late99: quantile(lateness, 0.99),
  }
}
