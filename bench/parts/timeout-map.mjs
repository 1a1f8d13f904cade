import { setTimeout as sleep } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { atLeastTimes, builds } from '../runner/bars.mjs'
import { collectGarbage, cpuEach, cpuOf, HOUR, inTurns } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

const bar = (value, work, metric) => atLeastTimes(value, `TimeoutMap: ${work}`, metric, 'map-addon')

export default {
  name: 'timeout-map',
  title: 'TimeoutMap: a Map with a time to live',
  note: ({ timers }) =>
    `CPU time of the process for each operation; keys are strings. 1,000 entries in sequence, and ${formatCount(timers)} at random; ` +
    '"set" replaces a value. Fill and expire: as many new entries with a time to live of 2 s, until none is left. A Map deletes its ' +
    'entries instead.',
  metrics: [
    { key: 'get', label: 'get, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'getLarge', label: 'get at random', unit: 'ns', digits: 1 },
    { key: 'set', label: 'set, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'setLarge', label: 'set at random', unit: 'ns', digits: 1 },
    { key: 'live', label: 'fill and expire', unit: 'ns' },
  ],
  bars: [
    // At most 1.5 and 2 times the time of a Map.
    bar(1 / 1.5, 'get of 1,000 entries', 'get'),
    bar(1 / 1.5, 'get at random of 1,000,000', 'getLarge'),
    bar(1 / 2, 'set of 1,000 entries', 'set'),
    bar(1 / 2, 'set at random of 1,000,000', 'setLarge'),
  ],
  subjects: [
    { id: 'map-native', label: 'Map', group: 'native', subject: 'map' },
    ...builds('map', 'TimeoutMap').map((row) => ({ ...row, id: `map-${row.group}` })),
  ],
  turns: { short: 2, full: 5 },
  heap: 4_096,
  measure: (call, { timers }) => call('measureMap', { count: timers }),
}

const batch = 1_000

async function loadMap(subject) {
  if (subject === 'map') return () => new Map()
  const { TimeoutMap } = await import(subject)
  return (ttl) => new TimeoutMap({ ttl })
}

let sum = 0

export async function measureMap(subject, { count }) {
  const makeMap = await loadMap(subject)
  const keys = Array.from({ length: count }, (_, i) => `key ${i}`)
  const shuffled = Array.from(shuffledIndices(count, randomNumbers(9)), (i) => keys[i])

  /** CPU nanoseconds for each operation on the keys, all of which are visited in each pass. */
  const nanoseconds = (some, work) => {
    const passes = Math.ceil(count / some.length)
    return cpuEach(passes * some.length, async () => {
      for (let pass = 0; pass < passes; pass++) await inTurns(some.length, batch, work)
    })
  }

  const fill = (map, some) =>
    inTurns(some.length, batch, (from, to) => {
      for (let i = from; i < to; i++) map.set(some[i], i)
    })

  const measure = async (some) => {
    const map = makeMap(HOUR)
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

  const small = await measure(keys.slice(0, 1_000))
  const large = await measure(shuffled)
  collectGarbage()

  const map = makeMap(2_000)
  const live = await cpuOf(count, async () => {
    await fill(map, keys)
    if (subject === 'map') for (const key of keys) map.delete(key)
    while (map.size > 0) await sleep(100)
  })
  if (sum === 0) throw new Error('nothing was read')
  return { get: small.get, getLarge: large.get, set: small.set, setLarge: large.set, live }
}
