/** A process that sets and runs durable jobs. The benchmark calls its functions one after the other: see child.mjs. */
import { openSync, writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'
import { stores } from './stores.mjs'

let store
const ran = { count: 0, late: [], last: 0 }
const blocks = monitorEventLoopDelay({ resolution: 1 })

export async function open(name, { address, options }) {
  store = await stores[name](address, options)
}

/** Runs the jobs of the store. With a file, each start is a line in it. */
export async function handle(_name, { file }) {
  const log = file === undefined ? undefined : openSync(file, 'a')
  await store.handle(({ id, at }) => {
    const now = Date.now()
    ran.count++
    ran.late.push(now - at)
    ran.last = now
    if (log !== undefined) writeSync(log, `${id} ${now - at}\n`)
  })
}

/** Stores jobs that are due between two times from now. Resolves to the milliseconds it took. `isRandom`: the keys have no order. */
export async function fill(_name, { count, from, to = from, first = 0, isRandom = false }) {
  const random = randomNumbers(first + 1)
  const start = performance.now()
  const now = Date.now()
  for (let done = 0; done < count; ) {
    const most = Math.min(count - done, 50_000)
    const jobs = Array.from({ length: most }, (_, i) => {
      const id = first + done + i
      const at = Math.ceil(now + from + random() * (to - from))
      const key = isRandom
        ? `${Math.floor(random() * 1e15).toString(36)}-${id}`
        : `key-${String(id).padStart(9, '0')}`
      return { key, at, data: { id, at } }
    })
    await store.set(jobs)
    done += most
  }
  return performance.now() - start
}

/** Sets jobs at an even rate for some seconds, each by a call of its own, for random moments within three seconds. */
export async function trickle(_name, { rate, seconds }) {
  const random = randomNumbers(rate)
  const start = performance.now()
  const pending = []
  for (let id = 0; id < rate * seconds; await sleep(5)) {
    const now = Date.now()
    const until = Math.min(rate * seconds, ((performance.now() - start) * rate) / 1_000)
    for (; id < until; id++) {
      const at = Math.ceil(now + 100 + random() * 2_900)
      pending.push(store.set([{ key: `key-${id}`, at, data: { id, at } }]))
    }
  }
  await Promise.all(pending)
}

export function watchBlocks() {
  blocks.reset()
  blocks.enable()
}

/** Fulfilled when so many jobs have started here since the last call; rejects if none starts for a minute. */
export async function untilRan(_name, { count }) {
  for (let seen = ran.count, still = 0; ran.count < count; ) {
    await sleep(1)
    still = ran.count === seen ? still + 1 : 0
    seen = ran.count
    if (still > 60_000) throw new Error(`${count - ran.count} jobs never ran`)
  }
  const late = Float64Array.from(ran.late).sort()
  Object.assign(ran, { count: 0, late: [] })
  blocks.disable()
  return {
    ...{ least: late[0], p50: quantile(late, 0.5), p99: quantile(late, 0.99), last: ran.last },
    ...{ block: blocks.max / 1e6, memory: process.memoryUsage().rss / 2 ** 20 },
  }
}

/** Beside due jobs of another name, whose handler never ends: how late does a job start that is due in a second? */
export const besideHanging = (_name, { count }) => store.besideHanging(count)

/** Transactions of a program in some seconds, each of which sets a timer that is due in three days. */
export const transactions = (_name, { seconds }) => store.transactions(seconds)

export const counts = () => ({ ran: ran.count })

/** The median time of the claims within some seconds; 0 if the store does not time them. */
export async function claimTime(_name, { seconds }) {
  const { claims = [] } = store
  claims.length = 0
  await sleep(seconds * 1_000)
  return quantile(Float64Array.from(claims).sort(), 0.5) ?? 0
}

export const close = () => store.close()
