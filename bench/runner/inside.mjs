/** Helpers of the functions that run in measured processes. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { summarize } from './statistics.mjs'
import { turnsWith } from './turns.mjs'

export { nothing } from './turns.mjs'
export const { inTurns, timeTurns, setPending, setAndClearAtOnce, setAndClearLater } = turnsWith(nextTurn)

/** Milliseconds: the delay of timers that do not fire while something is measured. */
export const HOUR = 3_600_000

/** Reports a failure to the parent if timers are left and none has run for ten seconds. Some rivals lose timers. */
export function watchProgress(left) {
  let before = left()
  let still = 0
  setInterval(() => {
    still = left() === before ? still + 1 : 0
    before = left()
    if (still === 10) process.send?.({ failure: `${before.toLocaleString('en-US')} timers never ran` })
  }, 1_000).unref()
}

/** Microseconds of CPU time of this process. */
export function cpuTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Counts down timers, each of which calls `ran`. `finished` is fulfilled when none is left. */
export function countdown(count) {
  let left = count
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  const ran = () => {
    if (--left === 0) finish()
  }
  return { ran, left: () => left, finished }
}

/**
 * Keeps the lateness of up to `count` timers, by their numbers. `set` reads the clock just before it sets a timer, which calls `ran`
 * when it has run.
 */
export function takeLateness(timers, count, ran) {
  const due = new Float64Array(count)
  const lateness = new Float64Array(count)
  const onTimeout = (i) => {
    lateness[i] = performance.now() - due[i]
    ran()
  }
  const set = (i, delay) => {
    due[i] = performance.now() + delay
    timers.setWith(onTimeout, delay, i)
  }
  return { set, lateness }
}

/** CPU nanoseconds of each of the operations that some work consists of. */
export async function cpuOf(operations, work) {
  const start = cpuTime()
  await work()
  return ((cpuTime() - start) * 1_000) / operations
}

/** The same for a round of the work: the median of some rounds, after `settling` others. `prepare` is not measured. */
export async function cpuEach(operations, round, { settling = 0, rounds = 5, prepare = () => {} } = {}) {
  const samples = []
  for (let i = -settling; i < rounds; i++) {
    const prepared = prepare()
    const sample = await cpuOf(operations, () => round(prepared))
    if (i >= 0) samples.push(sample)
  }
  return summarize(samples).median
}

let collect

/** Runs a full garbage collection. Other runtimes than Node may lack what it needs, so it is prepared at the first call. */
export function collectGarbage() {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc')
  }
  collect()
}
