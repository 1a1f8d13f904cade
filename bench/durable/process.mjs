/** A process that sets and runs durable jobs. The benchmark calls its functions one after the other: see child.mjs. */
import { closeSync, openSync, writeSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'
import { open as openStore } from './stores.mjs'

let store
let log
const ran = { count: 0, late: [], last: 0 }
const blocks = monitorEventLoopDelay({ resolution: 1 })
const queries = new Map()

/** @param {{ address: string, options?: object, times?: boolean }} how `times`: times the calls of functions of PostgreSQL */
export async function open(name, { address, options = {}, times = false }) {
  const onQuery = (text, ms) => {
    const [, method] = text.match(/_(\w+)_1\(/) ?? []
    if (method !== undefined) queries.set(method, [...(queries.get(method) ?? []), ms])
  }
  store = await openStore(name, address, { onError: () => {}, ...options, ...(times && { onQuery }) })
}

/** Runs the jobs of the store. With a file, each start is a line in it. */
export async function handle(_name, { file } = {}) {
  log = file === undefined ? undefined : openSync(file, 'a')
  await store.handle(({ id, at }) => {
    const now = Date.now()
    ran.count++
    ran.late.push(now - at)
    ran.last = now
    if (log !== undefined) writeSync(log, `${id} ${now - at}\n`)
  })
}

/**
 * Stores jobs that are due between two times from now.
 *
 * @param {{ count: number, from: number, to?: number, first?: number, isRandom?: boolean }} what `isRandom`: the keys have no order
 * @returns {Promise<number>} milliseconds
 */
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
    ...{ least: late[0], p50: quantile(late, 0.5), p99: quantile(late, 0.99), most: late[late.length - 1] },
    last: ran.last,
    ...{ block: blocks.max / 1e6, memory: process.memoryUsage().rss / 2 ** 20 },
  }
}

export const counts = () => ({ ran: ran.count })

/** The median time of the calls of each function of PostgreSQL since the last call of this one. */
export function queryTimes() {
  const times = [...queries].map(([method, list]) => [method, quantile(Float64Array.from(list).sort(), 0.5)])
  queries.clear()
  return Object.fromEntries(times)
}

export async function close() {
  await store.close()
  if (log !== undefined) closeSync(log)
}
