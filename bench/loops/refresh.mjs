import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}

/** @type {((from: number, to: number) => void) | undefined} The first turn makes it, and all turns use it. */
let refreshSome

/**
 * Refreshes each of many pending timers once, in random order. Setting them is not timed.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, delay: number }} options
 */
export async function refreshAll(timers, { count, batch, delay }) {
  if (refreshSome === undefined) {
    const pending = new Array(count)
    for (let i = 0; i < count; i++) {
      pending[i] = timers.set(nothing, delay)
      if (i % batch === 0) await nextTurn()
    }
    refreshSome = refresher(timers.refresh, pending, delay)
    collectGarbage()
  }
  await nextTurn()
  const start = performance.now()
  for (let from = 0; from < count; from += batch) {
    refreshSome(from, from + batch)
    await nextTurn()
  }
  return performance.now() - start
}

/**
 * A closure, so that the engine treats everything except the timer as a constant. The cost of the loop itself is measured too.
 *
 * @param {Timers['refresh']} refresh
 * @param {any[]} pending
 * @param {number} delay
 * @returns {(from: number, to: number) => void}
 */
function refresher(refresh, pending, delay) {
  const order = shuffledIndices(pending.length, randomNumbers(1))
  return (from, to) => {
    for (let i = from; i < to; i++) refresh(pending[order[i]], delay)
  }
}
