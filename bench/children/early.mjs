/** node early.mjs <contender> <timers>: sets timers, waits until all have run, and sends how many ran early. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadContender } from '../contenders/index.mjs'
import { randomNumbers } from '../runner/random.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
const longest = 2_000
const batch = 1_000

const timers = await loadContender(contender)
// The timers of some rivals do not keep a process alive.
process.channel?.ref()
const random = randomNumbers(7)
const due = new Float64Array(count)
let left = count
let early = 0
let earliest = Infinity
/** @type {() => void} */
let finish
const finished = new Promise((resolve) => {
  finish = () => resolve(undefined)
})

/** @param {number} i */
const onTimeout = (i) => {
  const late = performance.now() - due[i]
  if (late < earliest) earliest = late
  if (late < 0) early++
  if (--left === 0) finish()
}

for (let from = 0; from < count; from += batch) {
  const until = Math.min(count, from + batch)
  for (let i = from; i < until; i++) {
    const delay = 1 + Math.floor(random() * longest)
    due[i] = performance.now() + delay
    timers.setWith(onTimeout, delay, i)
  }
  await nextTurn()
}
await finished
process.send?.({ early, earliest })
process.disconnect?.()
