/**
 * node churn.mjs <contender> <pending> <per second> <seconds>: replaces random pending timers at that rate, and sends the cost of
 * garbage collection in that time.
 */

import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { loadContender } from '../contenders/index.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

const [, , contender, ...numbers] = process.argv
const [count, rate, seconds] = numbers.map(Number)
/** Milliseconds: no timer fires. */
const delay = 3_600_000
const batch = 10_000
/** Milliseconds between two batches of replacements. */
const pause = 2

const nothing = () => {}

const timers = await loadContender(contender)
const pending = new Array(count)
for (let i = 0; i < count; i++) {
  pending[i] = timers.set(nothing, delay)
  if (i % batch === 0) await nextTurn()
}
const order = shuffledIndices(count, randomNumbers(5))
let replaced = 0

/** @param {number} until */
function replaceUntil(until) {
  for (; replaced < until; replaced++) {
    const chosen = order[replaced % count]
    timers.clear(pending[chosen])
    pending[chosen] = timers.set(nothing, delay)
  }
}

collectGarbage()
await nextTurn()
/** @type {number[]} */
const pauses = []
const observer = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) pauses.push(duration)
})
observer.observe({ entryTypes: ['gc'] })
const start = performance.now()
const cpuStart = process.cpuUsage()
for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - start) {
  replaceUntil(Math.floor((elapsed * rate) / 1000))
  await sleep(pause)
}
const { user, system } = process.cpuUsage(cpuStart)
await nextTurn() // the last entries arrive in another task
observer.disconnect()

process.send?.(
  {
    pause: pauses.reduce((sum, one) => sum + one, 0),
    longest: Math.max(0, ...pauses),
    cpu: (user + system) / 1000,
    replaced,
  },
  () => process.exit(),
)
