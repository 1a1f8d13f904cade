/**
 * node timeout-map.mjs <map | addon | wasm | lru-cache | ttlcache> <entries>: sends what the operations of a map with a time to live
 * cost. A Map has none: its entries are deleted instead.
 */

import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { summarize } from '../runner/statistics.mjs'

const [, , contender, countText] = process.argv
const count = Number(countText)
const few = 1_000
const batch = 1_000
const rounds = 5
const hour = 3_600_000
const untilExpired = 2_000

/** @returns {Promise<(ttl: number) => any>} */
async function loadMap() {
  if (contender === 'map') return () => new Map()
  if (contender === 'lru-cache') {
    const { LRUCache } = await import('lru-cache')
    return (ttl) => new LRUCache({ ttl, ttlAutopurge: true })
  }
  if (contender === 'ttlcache') {
    const { TTLCache } = await import('@isaacs/ttlcache')
    return (ttl) => new TTLCache({ ttl })
  }
  const { TimeoutMap } = await import(contender === 'addon' ? 'timeout-wheel/native' : 'timeout-wheel/wasm')
  return (ttl) => new TimeoutMap({ ttl })
}

const makeMap = await loadMap()
const keys = Array.from({ length: count }, (_, i) => `key ${i}`)
const shuffled = Array.from(shuffledIndices(count, randomNumbers(9)), (i) => keys[i])

function cpuTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * CPU nanoseconds for each operation: the median of several rounds.
 *
 * @param {string[]} some  The keys, all of which are visited in each pass.
 * @param {(from: number, to: number) => void} work
 */
async function nanoseconds(some, work) {
  const taken = []
  const passes = Math.ceil(count / some.length)
  for (let round = 0; round < rounds; round++) {
    const start = cpuTime()
    for (let pass = 0; pass < passes; pass++) {
      for (let from = 0; from < some.length; from += batch) {
        work(from, from + batch)
        await nextTurn()
      }
    }
    taken.push(((cpuTime() - start) * 1_000) / (passes * some.length))
  }
  return summarize(taken).median
}

let sum = 0

/** @param {string[]} some */
async function measure(some) {
  const map = makeMap(hour)
  for (let i = 0; i < some.length; i++) {
    map.set(some[i], i)
    if (i % batch === 0) await nextTurn()
  }
  collectGarbage()
  const get = await nanoseconds(some, (from, to) => {
    for (let i = from; i < to; i++) sum += map.get(some[i])
  })
  const set = await nanoseconds(some, (from, to) => {
    for (let i = from; i < to; i++) map.set(some[i], i)
  })
  map.clear()
  return { get, set }
}

const small = await measure(keys.slice(0, few))
const large = await measure(shuffled)
collectGarbage()

const map = makeMap(untilExpired)
const start = cpuTime()
for (let i = 0; i < count; i++) {
  map.set(keys[i], i)
  if (i % batch === 0) await nextTurn()
}
const filled = cpuTime()
if (contender === 'map') for (const key of keys) map.delete(key)
// An entry of lru-cache can stay for good: see bench/packages/lru-cache.mjs.
while (map.size > 5) await sleep(100)
const ended = cpuTime()

process.send?.(
  {
    get: small.get,
    getLarge: large.get,
    set: small.set,
    setLarge: large.set,
    fill: ((filled - start) * 1_000) / count,
    live: ((ended - start) * 1_000) / count,
  },
  () => process.exit(sum === 0 ? 1 : 0),
)
