import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers } from '../runner/random.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}
const random = randomNumbers(4)

/** Milliseconds: delays of one to two hours, so that no timer fires during a measurement. */
const shortest = 3_600_000
const range = 3_600_000

let pending = 0

/** Drawn in advance, so that the drawing is not measured. */
const delays = Uint32Array.from({ length: 1 << 16 }, randomDelay)

function randomDelay() {
  return shortest + Math.floor(random() * range)
}

/**
 * Sets timers of random delays until `count` are pending. It is not timed and returns 0.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number }} options
 */
export async function growTo(timers, { count, batch }) {
  while (pending < count) {
    const until = Math.min(count, pending + batch)
    for (; pending < until; pending++) timers.set(nothing, randomDelay())
    await nextTurn()
  }
  collectGarbage()
  return 0
}

/**
 * Sets timers of random delays while others are pending, and clears each at once.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number }} options  `count` is a multiple of `batch`.
 */
export async function setAndClearAmid(timers, { count, batch }) {
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    setAndClearSome(timers, done, batch)
    await nextTurn()
  }
  return performance.now() - start
}

/**
 * @param {Timers} timers
 * @param {number} from
 * @param {number} batch
 */
function setAndClearSome(timers, from, batch) {
  for (let i = from; i < from + batch; i++) timers.clear(timers.set(nothing, delays[i & 0xffff]))
}
