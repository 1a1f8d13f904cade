import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { collectGarbage } from '../runner/garbage.mjs'

/** @import { Timers } from '../contenders/index.mjs' */

const nothing = () => {}
const batch = 10_000

export async function takeMemory() {
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    collectGarbage()
  }
  const { rss, heapUsed } = process.memoryUsage()
  // V8 does not know all memory outside the heap, and memory that it knows may be unused. So the resident set is read.
  const outside = rss - getHeapStatistics().total_physical_size
  return { resident: rss, heap: heapUsed + outside }
}

/**
 * Sets `count` timers and leaves them pending. Call it once in a process.
 *
 * @param {Timers} timers
 * @param {{ count: number, delay: number }} options  `delay` is so long that no timer fires before the memory is read.
 * @returns {Promise<{ resident: number, heap: number, whole: number }>}  `resident`: bytes of the process per timer. `heap`: the
 *   same without the unused part of the JavaScript heap. `whole`: megabytes of the whole process.
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
