/** node hold.mjs <contender> <timers>: sends the bytes that a pending timer takes, and those of the whole process. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadContender } from '../contenders.mjs'
import { collectGarbage } from '../garbage.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
/** So long that none is due before the memory is taken. */
const delay = count > 1_000_000 ? 600_000 : 30_000
const batch = 10_000

const nothing = () => {}

async function takeMemory() {
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    collectGarbage()
  }
  const { rss, heapUsed, external } = process.memoryUsage() // external includes arrayBuffers
  return { resident: rss, heap: heapUsed + external }
}

const timers = await loadContender(contender)
for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))

const before = await takeMemory()
for (let i = 0; i < count; i++) {
  timers.set(nothing, delay)
  if (i % batch === 0) await nextTurn()
}
const after = await takeMemory()

process.send?.(
  {
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
    whole: after.resident / 1e6,
  },
  () => process.exit(), // the timers would keep the process until they are due
)
