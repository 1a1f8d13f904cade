import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { cpuTime } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { summarize } from '../runner/statistics.mjs'

const bar = (work, metric, value, base = 'map-native') => ({
  ...{ work: `TimeoutMap: ${work}`, metric, row: 'map-addon', base, kind: 'times', value },
})

export default {
  name: 'timeout-map',
  title: 'TimeoutMap: a Map with a time to live',
  note: ({ timers }) =>
    `CPU time of the process for each operation; keys are strings. 1,000 entries in sequence, and ${formatCount(timers)} at random; ` +
    '"set" replaces a value. Fill: as many new entries with a time to live of 2 s. Fill and expire: until no entry is left. A Map ' +
    'deletes its entries instead.',
  metrics: [
    { key: 'get', label: 'get, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'getLarge', label: 'get at random', unit: 'ns', digits: 1 },
    { key: 'set', label: 'set, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'setLarge', label: 'set at random', unit: 'ns', digits: 1 },
    { key: 'fill', label: 'fill', unit: 'ns' },
    { key: 'live', label: 'fill and expire', unit: 'ns' },
  ],
  bars: [
    // At most 1.5 and 2 times the time of a Map.
    bar('get of 1,000 entries', 'get', 1 / 1.5),
    bar('get at random of 1,000,000', 'getLarge', 1 / 1.5),
    bar('set of 1,000 entries', 'set', 1 / 2),
    bar('set at random of 1,000,000', 'setLarge', 1 / 2),
    bar('fill and expire, to lru-cache', 'live', 3, 'map-lru-cache'),
  ],
  subjects: [
    { id: 'map-native', label: 'Map', group: 'native', subject: 'map' },
    { id: 'map-addon', label: 'addon: TimeoutMap', group: 'addon', subject: 'timeout-wheel/native' },
    { id: 'map-wasm', label: 'wasm: TimeoutMap', group: 'wasm', subject: 'timeout-wheel/wasm' },
    { id: 'map-lru-cache', label: 'lru-cache with ttlAutopurge', group: 'rival', subject: 'lru-cache' },
  ],
  against: 'map-native',
  turns: { short: 2, full: 5 },
  heap: 4_096,
  measure: (call, { timers }) => call('measureMap', { count: timers }),
}

const few = 1_000
const batch = 1_000
const rounds = 5
const hour = 3_600_000
const untilExpired = 2_000

async function loadMap(subject) {
  if (subject === 'map') return () => new Map()
  if (subject === 'lru-cache') {
    const { LRUCache } = await import('lru-cache')
    return (ttl) => new LRUCache({ ttl, ttlAutopurge: true })
  }
  const { TimeoutMap } = await import(subject)
  return (ttl) => new TimeoutMap({ ttl })
}

let sum = 0

/** What the operations of a map with a time to live cost. A Map has none: its entries are deleted instead. */
export async function measureMap(subject, { count }) {
  const makeMap = await loadMap(subject)
  const keys = Array.from({ length: count }, (_, i) => `key ${i}`)
  const shuffled = Array.from(shuffledIndices(count, randomNumbers(9)), (i) => keys[i])

  /** CPU nanoseconds for each operation on the keys, all of which are visited in each pass: the median of several rounds. */
  const nanoseconds = async (some, work) => {
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

  const fill = async (map, some) => {
    for (let i = 0; i < some.length; i++) {
      map.set(some[i], i)
      if (i % batch === 0) await nextTurn()
    }
  }

  const measure = async (some) => {
    const map = makeMap(hour)
    await fill(map, some)
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
  await fill(map, keys)
  const filled = cpuTime()
  if (subject === 'map') for (const key of keys) map.delete(key)
  // An entry of lru-cache can stay for good: see parts/packages.mjs.
  while (map.size > 5) await sleep(100)
  const ended = cpuTime()
  if (sum === 0) throw new Error('nothing was read')
  return {
    ...{ get: small.get, getLarge: large.get, set: small.set, setLarge: large.set },
    fill: ((filled - start) * 1_000) / count,
    live: ((ended - start) * 1_000) / count,
  }
}
