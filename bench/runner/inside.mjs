/** Helpers of the functions that run in measured processes. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { summarize } from './statistics.mjs'
import { turnsWith } from './turns.mjs'

export const { inTurns, timeTurns, setPending, setAndClearAtOnce, setAndClearLater } = turnsWith(nextTurn)

const patience = 10

/** Reports a failure to the parent if timers are left and none has run for some seconds. Some rivals lose timers. */
export function watchProgress(left) {
  let before = left()
  let still = 0
  setInterval(() => {
    still = left() === before ? still + 1 : 0
    before = left()
    if (still === patience) process.send?.({ failure: `${before.toLocaleString('en-US')} timers never ran` })
  }, 1_000).unref()
}

/** Microseconds of CPU time of this process. */
export function cpuTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}

export function signal() {
  let finish
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined)
  })
  return { finish, finished }
}

/** CPU nanoseconds of each operation: the median of some rounds, after `settling` others. `prepare` is not measured. */
export async function cpuEach(operations, round, { settling = 0, rounds = 5, prepare = () => {} } = {}) {
  const samples = []
  for (let i = -settling; i < rounds; i++) {
    const prepared = prepare()
    const start = cpuTime()
    await round(prepared)
    if (i >= 0) samples.push(((cpuTime() - start) * 1_000) / operations)
  }
  return summarize(samples).median
}

/** Watches garbage collections. The function that it returns ends this, and returns their start and duration in milliseconds. */
export function watchCollections() {
  const collections = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  return async () => {
    await nextTurn() // the last entries arrive in another task
    observer.disconnect()
    return collections
  }
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
