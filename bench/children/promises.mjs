/** node promises.mjs <contender>: sends the nanoseconds of CPU time for each wait for a promise. */

import { summarize } from '../runner/statistics.mjs'

const modules = {
  native: () => import('node:timers/promises'),
  'addon-handles': async () => (await import('timeout-wheel/native')).promises,
  'wasm-handles': async () => (await import('timeout-wheel/wasm')).promises,
}

/** Functions that wait at the same time, and the number of waits of each. */
const sleepers = 1_000
const waits = 40
/** Promises that are pending at the same time. */
const many = 100_000
/** Rounds that are not measured, because code is compiled in them, and rounds that are. */
const settling = 3
const rounds = 5

const contender = /** @type {keyof typeof modules} */ (process.argv[2])
const { setTimeout } = await modules[contender]()

const sleepInLoop = async () => {
  for (let i = 0; i < waits; i++) await setTimeout(1)
}

/** @param {AbortSignal} signal */
const sleepInLoopWith = async (signal) => {
  for (let i = 0; i < waits; i++) await setTimeout(1, undefined, { signal })
}

/** @param {number} delay */
const sleepOnce = async (delay) => {
  await setTimeout(delay)
}

/** @param {() => Promise<unknown>[]} start */
async function cpuOf(start) {
  const before = process.cpuUsage()
  await Promise.all(start())
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * @param {number} count  Waits in a round.
 * @param {() => () => Promise<unknown>[]} prepare
 */
async function measure(count, prepare) {
  const samples = []
  for (let round = 0; round < settling + rounds; round++) {
    const cpu = await cpuOf(prepare())
    if (round >= settling) samples.push((cpu * 1000) / count)
  }
  return summarize(samples).median
}

const plain = await measure(sleepers * waits, () => () => Array.from({ length: sleepers }, sleepInLoop))
const signal = await measure(sleepers * waits, () => {
  const signals = Array.from({ length: sleepers }, () => new AbortController().signal)
  return () => signals.map(sleepInLoopWith)
})
const atOnce = await measure(many, () => () => Array.from({ length: many }, () => sleepOnce(20)))
process.send?.({ plain, signal, atOnce })
process.disconnect?.()
