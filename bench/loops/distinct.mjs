import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}

/** An hour: none comes due while it is measured. */
const shortest = 3_600_000
/** As many as the works set in all. */
const differentDelays = 2 ** 23

/**
 * @typedef {object} Population
 * @property {any[]} pending
 * @property {Uint32Array} order  Of the pending.
 * @property {number} at  How far `order` has been gone through.
 * @property {() => number} nextDelay  One that no timer has had yet.
 */

/** @type {Promise<Population> | undefined} Made by the first turn, with its timers; used by all. */
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

/** Not one after the other: V8 keeps Node's lists by their delays, and at times then copies all of them for each that is made. */
function delaysInRandomOrder() {
  const delays = shuffledIndices(differentDelays, randomNumbers(5))
  let drawn = 0
  return () => {
    if (drawn === delays.length) throw new RangeError(`${differentDelays} delays are used up`)
    return shortest + delays[drawn++]
  }
}

/**
 * Sets a timer and clears it at once, each with a delay of its own, while many of other delays are pending.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, pending: number }} options  `count` is a multiple of `batch`
 */
export async function setAndClearDistinct(timers, { count, batch, pending }) {
  const among = await populated(timers, pending, batch)
  return timed(count, batch, () => setAndClearBatch(timers, among, batch))
}

/**
 * Clears a timer taken at random of many, and sets another in its place, each with a delay of its own.
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
 * Times one kind of work alone. The garbage of the other, a young generation of survivors, would be collected in this one's
 * time; and caches are as the work leaves them, not as a collection does.
 *
 * @param {number} count  A multiple of `batch`.
 * @param {number} batch
 * @param {() => void} work  A batch of it.
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
