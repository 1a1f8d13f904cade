import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from '../runner/garbage.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}
const batch = 10_000

async function takeMemory() {
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    collectGarbage()
  }
  const { rss, heapUsed } = process.memoryUsage()
  // Memory that lies outside the heap is not all reported to V8, and what is reported need not be in use.
  const outside = rss - getHeapStatistics().total_physical_size
  return { resident: rss, heap: heapUsed + outside }
}

/**
 * Sets so many timers and leaves them pending. To be called once in a process.
 *
 * @param {Timers} timers
 * @param {{ count: number, delay: number }} options  `delay` is so long that none is due before the memory is taken
 * @returns {Promise<{ resident: number, heap: number, whole: number }>} bytes that a timer takes in the process, and of them those
 *   in use in JavaScript's heap with all that is outside it; megabytes of the whole process
 */
export async function measureBytes(timers, { count, delay }) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))
  const before = await takeMemory()
  for (let i = 0; i < count; i++) {
    timers.set(nothing, delay)
    if (i % batch === 0) await nextTurn()
  }
  const after = await takeMemory()
  return {
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
    whole: after.resident / 1e6,
  }
}
