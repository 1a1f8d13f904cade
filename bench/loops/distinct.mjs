import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}

/** Milliseconds: an hour, so that no timer fires during a measurement. */
const shortest = 3_600_000
/** At least as many as all loops set together. */
const differentDelays = 2 ** 23

/**
 * @typedef {object} Population
 * @property {any[]} pending
 * @property {Uint32Array} order  The order in which pending timers are replaced.
 * @property {number} at  The next place in `order`.
 * @property {() => number} nextDelay  A delay that no timer has had yet.
 */

/** @type {Promise<Population> | undefined} The first turn makes it, and all turns use it. */
let population

/**
 * @param {Timers} timers
 * @param {number} count
 * @param {number} batch
 * @returns {Promise<Population>}
 */
async function populate(timers, count, batch) {
  const pending = new Array(count)
  const nextDelay = delaysInRandomOrder()
  for (let i = 0; i < count; i++) {
    pending[i] = timers.set(nothing, nextDelay())
    if (i % batch === 0) await nextTurn()
  }
  return { pending, order: shuffledIndices(count, randomNumbers(3)), at: 0, nextDelay }
}

/**
 * Random order, because V8 keeps Node's lists by their delays: if the delays ascend, V8 sometimes copies all lists whenever one is
 * added.
 */
function delaysInRandomOrder() {
  const delays = shuffledIndices(differentDelays, randomNumbers(5))
  let drawn = 0
  return () => {
    if (drawn === delays.length) throw new RangeError(`${differentDelays} delays are used up`)
    return shortest + delays[drawn++]
  }
}

/**
 * Sets a timer and clears it at once, while many others are pending. No two timers have the same delay.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, pending: number }} options  `count` is a multiple of `batch`.
 */
export async function setAndClearDistinct(timers, { count, batch, pending }) {
  const among = await populated(timers, pending, batch)
  return timed(count, batch, () => setAndClearBatch(timers, among, batch))
}

/**
 * Clears a random timer of many, and sets another in its place. No two timers have the same delay.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, pending: number }} options
 */
export async function replaceDistinct(timers, { count, batch, pending }) {
  const among = await populated(timers, pending, batch)
  return timed(count, batch, () => replaceBatch(timers, among, batch))
}

/**
 * @param {Timers} timers
 * @param {number} count
 * @param {number} batch
 */
function populated(timers, count, batch) {
  population ??= populate(timers, count, batch)
  return population
}

/**
 * Times one kind of work. Garbage is collected before, so that the garbage of other work is not collected in the measured time. A
 * tenth of the work follows without timing, so that the caches hold the data of this work.
 *
 * @param {number} count  A multiple of `batch`.
 * @param {number} batch
 * @param {() => void} work  Does one batch.
 */
async function timed(count, batch, work) {
  collectGarbage()
  await repeat(count / 10, batch, work)
  const start = performance.now()
  await repeat(count, batch, work)
  return performance.now() - start
}

/**
 * @param {number} count
 * @param {number} batch
 * @param {() => void} work
 */
async function repeat(count, batch, work) {
  for (let done = 0; done < count; done += batch) {
    work()
    await nextTurn()
  }
}

/**
 * @param {Timers} timers
 * @param {Population} population
 * @param {number} batch
 */
function setAndClearBatch(timers, { nextDelay }, batch) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, nextDelay()))
}

/**
 * @param {Timers} timers
 * @param {Population} population
 * @param {number} batch
 */
function replaceBatch(timers, population, batch) {
  const { pending, order, nextDelay } = population
  let { at } = population
  for (let i = 0; i < batch; i++) {
    const chosen = order[at]
    at = at + 1 === order.length ? 0 : at + 1
    timers.clear(pending[chosen])
    pending[chosen] = timers.set(nothing, nextDelay())
  }
  population.at = at
}
