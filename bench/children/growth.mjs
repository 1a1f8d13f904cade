/** node growth.mjs <contender> <timers>: sets timers one by one, and sends the milliseconds of the longest call. */

import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadContender } from '../contenders/index.mjs'
import { collectGarbage } from '../runner/garbage.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
const delay = 3_600_000
const batch = 1_000
/** Milliseconds. Shorter calls are not recorded. */
const long = 0.5

const nothing = () => {}

const timers = await loadContender(contender)
for (let i = 0; i < 10_000; i++) timers.clear(timers.set(nothing, delay))
collectGarbage()

/** @type {{ start: number, end: number }[]} */
const calls = []
/** @type {{ start: number, end: number }[]} */
const collections = []
const observer = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ start: startTime, end: startTime + duration })
  }
})
observer.observe({ entryTypes: ['gc'] })

/** @param {number} size */
function setSome(size) {
  for (let i = 0; i < size; i++) {
    const start = performance.now()
    timers.set(nothing, delay)
    const end = performance.now()
    if (end - start > long) calls.push({ start, end })
  }
}

for (let done = 0; done < count; done += batch) {
  setSome(batch)
  await nextTurn()
}
await nextTurn()
observer.disconnect()

/** @param {{ start: number, end: number }[]} some */
const longest = (some) => Math.max(0, ...some.map(({ start, end }) => end - start))
const undisturbed = calls.filter((call) =>
  collections.every(({ start, end }) => end < call.start || start > call.end),
)
process.send?.({ call: longest(calls), own: longest(undisturbed) }, () => process.exit())
