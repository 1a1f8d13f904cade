/** A cache whose entries expire: lru-cache with a timer for each entry. */

import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { randomNumbers } from '../runner/random.mjs'
import { inTurns } from './turns.mjs'

const keys = 200_000
/** Most of them replace an entry that has not expired. */
const writes = 1_000_000
/** Milliseconds. */
const ttl = 2_000
/** Milliseconds after the last ttl in which the timers of all entries run. */
const spare = 500
/** Milliseconds: the longest of the distinct ttls. */
const longest = 60_000
/**
 * The entries that lru-cache may leave. If the timer of an entry runs up to a millisecond early, and exactly 0 is left of the
 * ttl, then the entry gets no other timer, and stays.
 */
const forgotten = 5

/** @param {(key: number) => void} set */
function write(set) {
  const random = randomNumbers(3)
  return inTurns(writes, 5_000, () => set(Math.floor(random() * keys)))
}

/** @returns {LRUCache<number, number>} */
const lruCache = () => new LRUCache({ max: keys, ttl, ttlAutopurge: true })

async function timeoutMap() {
  const { TimeoutMap } = await import('timeout-wheel')
  /** @type {import('timeout-wheel').TimeoutMap<number, number>} */
  const map = new TimeoutMap({ max: keys, ttl })
  return map
}

/** @param {{ set(key: number, value: number): unknown, readonly size: number }} cache */
async function expireAll(cache) {
  await write((key) => cache.set(key, key))
  await sleep(ttl + spare)
  if (cache.size > forgotten) throw new Error(`${cache.size} entries have not expired`)
}

/** @param {(key: number, ttl: number) => void} set */
async function replaceMost(set) {
  const random = randomNumbers(4)
  await write((key) => set(key, 1 + Math.floor(random() * longest)))
}

/** All entries have one ttl, and the program ends when they have expired. */
export const oneTtl = {
  package: () => expireAll(lruCache()),
  own: async () => expireAll(await timeoutMap()),
}

/** Each entry has its own ttl, and the program ends when all are written: its timers do not keep it alive. */
export const distinctTtls = {
  package() {
    const cache = lruCache()
    return replaceMost((key, ttl) => cache.set(key, key, { ttl }))
  },
  async own() {
    const map = await timeoutMap()
    await replaceMost((key, ttl) => map.set(key, key, ttl))
  },
}
