/**
 * node precision.mjs <contender> <per second> <seconds>: sets timers of random delays at that rate, first when messages arrive,
 * then in the callbacks of other timers. Sends their lateness, and the period of a chain of timers.
 */

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { loadContender } from '../contenders/index.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'
import { watchProgress } from './message.mjs'

const [, , contender, ...numbers] = process.argv
const [rate, seconds] = numbers.map(Number)
const longest = 1_000
/** Milliseconds between two callbacks that set timers. */
const pause = 2
const chainDelay = 10
/** Milliseconds whose timers are not counted, because the engine compiles code. */
const warmUp = 1_000

const timers = await loadContender(contender)
// The timers of some rivals do not keep a process alive.
process.channel?.ref()
const random = randomNumbers(6)
let left = 0
watchProgress(() => left)

/**
 * Sets timers each time `next` resolves, and waits until all have run.
 *
 * @param {() => Promise<unknown>} next
 * @returns {Promise<Float64Array>} their lateness, sorted
 */
async function measure(next) {
  const count = rate * seconds + warmUp * (rate / 1000)
  const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))
  const due = new Float64Array(count)
  const lateness = new Float64Array(count)
  /** @type {() => void} */
  let finish
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined)
  })
  left = count

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
    await next()
  }
  await finished
  return lateness.slice((warmUp * rate) / 1000).sort()
}

/** Messages arrive at random, so that the timers are set at no fixed distance from the wake-ups of the loop. */
async function measureArrivals() {
  const worker = new Worker(new URL('arrivals.mjs', import.meta.url))
  await once(worker, 'message')
  const lateness = await measure(() => once(worker, 'message'))
  await worker.terminate()
  return lateness
}

/**
 * Sets each timer in the callback of the one before, for a second.
 *
 * @returns {Promise<number>} milliseconds from one callback to the next
 */
async function measureChain() {
  const start = performance.now()
  return new Promise((resolve) => {
    let links = 0
    const next = () => {
      links++
      const passed = performance.now() - start
      if (passed > 1_000) resolve(passed / links)
      else timers.set(next, chainDelay)
    }
    timers.set(next, chainDelay)
  })
}

const arrivals = await measureArrivals()
const callbacks = await measure(() => sleep(pause))
const chain = await measureChain()

const after = arrivals.findIndex((late) => late >= 0)
process.send?.({
  late99: quantile(arrivals, 0.99),
  late50: quantile(arrivals, 0.5),
  earliest: arrivals[0],
  early: (100 * (after === -1 ? arrivals.length : after)) / arrivals.length,
  late50Callbacks: quantile(callbacks, 0.5),
  chain,
})
process.disconnect?.()
