/** node set-fire.mjs <contender> <timers> <longest delay in ms>: sends CPU time and lateness. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { loadContender } from '../contenders.mjs'
import { collectGarbage } from '../garbage.mjs'
import { randomNumbers } from '../random.mjs'
import { quantile } from '../statistics.mjs'
import { watchProgress } from './message.mjs'

const [, , contender, countText, longestText] = process.argv
const count = Number(countText)
const longest = Number(longestText)
const batch = 1_000
const sampleEvery = 8

const timers = await loadContender(contender)
// Some rivals' timers do not keep a process alive.
process.channel?.ref()
const random = randomNumbers(2)
const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))

// Reading the clock costs about as much as a timer: only the sampled ones do.
const due = new Float64Array(Math.ceil(count / sampleEvery))
const lateness = new Float64Array(due.length)
let left = count

/** @type {() => void} */
let finish
const finished = new Promise((resolve) => {
  finish = () => resolve(undefined)
})

const onTimeout = () => {
  if (--left === 0) finish()
}

/** @param {number} sample */
const onSampledTimeout = (sample) => {
  lateness[sample] = performance.now() - due[sample]
  if (--left === 0) finish()
}

/**
 * @param {number} from
 * @param {number} to
 */
function setSome(from, to) {
  for (let i = from; i < to; i++) {
    const delay = delays[i]
    if (i % sampleEvery === 0) {
      const sample = i / sampleEvery
      due[sample] = performance.now() + delay
      timers.setWith(onSampledTimeout, delay, sample)
    } else {
      timers.set(onTimeout, delay)
    }
  }
}

collectGarbage()
const start = performance.now()
const cpuStart = process.cpuUsage()
for (let from = 0; from < count; from += batch) {
  setSome(from, Math.min(from + batch, count))
  await nextTurn()
}
watchProgress(() => left)
await finished
const { user, system } = process.cpuUsage(cpuStart)
const wall = performance.now() - start

lateness.sort()
process.send?.({
  cpu: ((user + system) * 1e3) / count,
  wall,
  earliest: lateness[0],
  late50: quantile(lateness, 0.5),
  late99: quantile(lateness, 0.99),
})
process.disconnect?.()
