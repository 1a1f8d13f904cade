/** node precision.mjs <contender> <per second> <seconds>: sets timers of random delays at that rate, and sends their lateness. */

import { setTimeout as sleep } from 'node:timers/promises'
import { loadContender } from '../contenders.mjs'
import { randomNumbers } from '../random.mjs'
import { quantile } from '../statistics.mjs'
import { watchProgress } from './message.mjs'

const [, , contender, ...numbers] = process.argv
const [rate, seconds] = numbers.map(Number)
const longest = 1_000
/** Milliseconds between two batches. */
const pause = 2
/** While the engine compiles what it runs. */
const warmUp = 1_000

const timers = await loadContender(contender)
// Some rivals' timers do not keep a process alive.
process.channel?.ref()
const random = randomNumbers(6)
const count = rate * seconds + warmUp * (rate / 1000)
const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))
const due = new Float64Array(count)
const lateness = new Float64Array(count)
let left = count
/** @type {() => void} */
let finish
const finished = new Promise((resolve) => {
  finish = () => resolve(undefined)
})

/** @param {number} i */
const onTimeout = (i) => {
  lateness[i] = performance.now() - due[i]
  if (--left === 0) finish()
}

const start = performance.now()
for (let set = 0; set < count; ) {
  const until = Math.min(count, Math.floor(((performance.now() - start) * rate) / 1000))
  for (; set < until; set++) {
    due[set] = performance.now() + delays[set]
    timers.setWith(onTimeout, delays[set], set)
  }
  await sleep(pause)
}
watchProgress(() => left)
await finished

const sorted = lateness.slice((warmUp * rate) / 1000).sort()
const after = sorted.findIndex((late) => late >= 0)
process.send?.({
  late99: quantile(sorted, 0.99),
  late50: quantile(sorted, 0.5),
  earliest: sorted[0],
  early: (100 * (after === -1 ? sorted.length : after)) / sorted.length,
})
process.disconnect?.()
