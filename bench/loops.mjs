/**
 * The timed loops. The harness imports this file once per contender, under another query string each time,
 * so that every contender has copies of its own: in a shared loop the calls would see seven targets, none
 * would be inlined, and the cheapest contender would pay most for it.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'

/** @import { Timers } from './contenders.mjs' */

const nothing = () => {}

/**
 * A server's request timeouts: every loop turn sets a batch of timers and clears that of the turn before.
 *
 * @param {Timers} timers
 * @param {{ count: number, batch: number, delay: number }} options  `count` is a multiple of `batch`
 */
export async function setAndClear(timers, { count, batch, delay }) {
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

/**
 * Refreshes every one of many pending timers, in the given order. Setting and clearing them is not timed.
 *
 * @param {Timers} timers
 * @param {{ order: Uint32Array, batch: number, delay: number, settle: () => void }} options
 *   `settle` is called when all are pending, before the clock starts
 */
export async function refreshAll(timers, { order, batch, delay, settle }) {
  const pending = new Array(order.length)
  for (let i = 0; i < pending.length; i++) {
    pending[i] = timers.set(nothing, delay)
    if (i % batch === 0) await nextTurn()
  }
  await nextTurn()
  settle()
  const start = performance.now()
  for (let from = 0; from < order.length; from += batch) {
    refreshSome(timers, pending, order, from, Math.min(from + batch, order.length), delay)
    await nextTurn()
  }
  const elapsed = performance.now() - start
  for (let i = 0; i < pending.length; i++) {
    timers.clear(pending[i])
    if (i % batch === 0) await nextTurn()
  }
  await nextTurn()
  return elapsed
}

/**
 * @param {Timers} timers
 * @param {any[]} pending
 * @param {Uint32Array} order
 * @param {number} from
 * @param {number} to
 * @param {number} delay
 */
function refreshSome(timers, pending, order, from, to, delay) {
  for (let i = from; i < to; i++) timers.refresh(pending[order[i]], delay)
}
