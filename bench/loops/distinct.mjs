import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../garbage.mjs'
import { randomNumbers, shuffledIndices } from '../random.mjs'

/** @import { Timers } from '../contenders.mjs' */

const nothing = () => {}

/** An hour: none comes due while it is measured. */
const shortest = 3_600_000

/**
 * @typedef {object} Population
 * @property {any[]} pending
 * @property {Uint32Array} order
 * @property {number} nextDelay  One that no timer has had yet.
 * @property {number} at  How far `order` has been gone through.
 */

/** @type {Population | undefined} Made by the first turn, with its timers; used by all. */
let population

/**
 * @param {Timers} timers
 * @param {number} count
 * @param {number} batch
 * @returns {Promise<Population>}
 */
async function populate(timers, count, batch) {
  const pending = new Array(count)
  let nextDelay = shortest
  for (let i = 0; i < count; i++) {
    pending[i] = timers.set(nothing, nextDelay++)
    if (i % batch === 0) await nextTurn()
  }
  collectGarbage()
  return { pending, order: shuffledIndices(count, randomNumbers(3)), nextDelay, at: 0 }
}

/**
 * Sets a timer and clears it at once, each with a delay of its own, while many of other delays are pending.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, pending: number }} options  `count` is a multiple of `batch`
 */
export async function setAndClearDistinct(timers, { count, batch, pending }) {
  population ??= await populate(timers, pending, batch)
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    const first = population.nextDelay
    population.nextDelay = first + batch
    for (let delay = first; delay < first + batch; delay++) timers.clear(timers.set(nothing, delay))
    await nextTurn()
  }
  return performance.now() - start
}

/**
 * Clears a timer taken at random of many, and sets another in its place, each with a delay of its own.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, pending: number }} options
 */
export async function replaceDistinct(timers, { count, batch, pending }) {
  population ??= await populate(timers, pending, batch)
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    replaceBatch(timers, population, batch)
    await nextTurn()
  }
  return performance.now() - start
}

/**
 * @param {Timers} timers
 * @param {Population} population
 * @param {number} batch
 */
function replaceBatch(timers, population, batch) {
  const { pending, order } = population
  let { nextDelay, at } = population
  for (let i = 0; i < batch; i++) {
    const chosen = order[at]
    at = at + 1 === order.length ? 0 : at + 1
    timers.clear(pending[chosen])
    pending[chosen] = timers.set(nothing, nextDelay++)
  }
  population.nextDelay = nextDelay
  population.at = at
}
