import { setImmediate as nextTurn } from 'node:timers/promises'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}

/**
 * A timeout around work that ends at once: each timer is cleared before the next is set.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, delay: number }} options  `count` is a multiple of `batch`.
 */
export async function setAndClearAtOnce(timers, { count, batch, delay }) {
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    setAndClearBatch(timers, batch, delay)
    await nextTurn()
  }
  return performance.now() - start
}

/**
 * @param {Timers} timers
 * @param {number} batch
 * @param {number} delay
 */
function setAndClearBatch(timers, batch, delay) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))
}

/**
 * The request timeouts of a server: each loop turn sets a batch of timers and clears the batch of the turn before.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, delay: number }} options  `count` is a multiple of `batch`.
 */
export async function setAndClearLater(timers, { count, batch, delay }) {
  let previous = fillBatch(timers, new Array(batch), delay)
  let next = new Array(batch)
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    fillBatch(timers, next, delay)
    for (let i = 0; i < batch; i++) timers.clear(previous[i])
    const cleared = previous
    previous = next
    next = cleared
    await nextTurn()
  }
  const elapsed = performance.now() - start
  for (const timer of previous) timers.clear(timer)
  return elapsed
}

/**
 * @param {Timers} timers
 * @param {any[]} batch
 * @param {number} delay
 */
function fillBatch(timers, batch, delay) {
  for (let i = 0; i < batch.length; i++) batch[i] = timers.set(nothing, delay)
  return batch
}
