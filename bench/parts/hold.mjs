import { setImmediate as nextTurn } from 'node:timers/promises'
import { getHeapStatistics } from 'node:v8'
import { formatCount } from '../report/format.mjs'
import { atMost } from '../runner/bars.mjs'
import { collectGarbage, inTurns, nothing } from '../runner/inside.mjs'

/** By the heap statistics of V8, and by the process, because some lines of Node do not count all memory outside the heap. */
const bars = (row, name, value) => [
  atMost(value, `memory per pending timer: ${name}`, 'heap', row),
  atMost(value, `memory per pending timer, of the process: ${name}`, 'resident', row),
]

/** Milliseconds: no timer fires before the memory is read. */
const delayOf = (count) => (count > 1_000_000 ? 600_000 : 30_000)

export const hold = {
  name: 'hold',
  title: 'Hold: memory per pending timer',
  note: ({ timers }) =>
    `${formatCount(timers)} timers of 30 s with one shared callback. The program keeps no handles. Each contender has its own process, ` +
    'and garbage is collected before each reading. Process: the growth of the resident set. In use: the same without the memory ' +
    'that the heap of V8 holds in reserve.',
  metrics: [
    { key: 'resident', label: 'process', unit: 'bytes' },
    { key: 'heap', label: 'in use', unit: 'bytes' },
  ],
  bars: [
    ...bars('addon-numbers', 'numbers', 40),
    ...bars('addon-handlesWithoutContext', 'handles without context', 100),
    ...bars('addon-handles', 'handles with async context', 150),
  ],
  hasRivals: true,
  turns: { short: 3, full: 7 },
  fewer: true,
  async measure(call, { timers }) {
    const { resident, heap } = await call('measureBytes', { count: timers, delay: delayOf(timers) })
    return { resident, heap }
  },
}

const many = ({ timers }) => 10 * timers

export const tenMillion = {
  name: 'ten-million',
  file: 'hold',
  title: (settings) => `Hold ${formatCount(many(settings))}: the whole process`,
  note:
    'As in the part "hold", with ten times as many timers. Only native timers and numbers are compared. The whole process is its ' +
    'resident set, which includes Node itself.',
  metrics: [
    { key: 'whole', label: 'whole process', unit: 'MB' },
    { key: 'resident', label: 'per timer', unit: 'bytes' },
  ],
  bars: [atMost(500, 'ten million numbers: the whole process', 'whole', 'addon-numbers')],
  takes: ({ api, group }) => group === 'native' || api === 'numbers',
  turns: 7,
  fewer: true,
  heap: 8_192,
  async measure(call, settings) {
    const count = many(settings)
    const { whole, resident } = await call('measureBytes', { count, delay: delayOf(count) })
    return { whole, resident }
  },
}

const batch = 10_000

async function takeMemory() {
  for (let i = 0; i < 3; i++) {
    await nextTurn()
    collectGarbage()
  }
  const { rss, heapUsed } = process.memoryUsage()
  // V8 does not know all memory outside the heap, and memory that it knows may be unused. So the resident set is read.
  const outside = rss - getHeapStatistics().total_physical_size
  return { resident: rss, heap: heapUsed + outside }
}

/** Makes things that stay. Returns the bytes of each, and megabytes of the whole process. */
export async function memoryOfEach(count, make) {
  const before = await takeMemory()
  await make()
  const after = await takeMemory()
  return {
    resident: (after.resident - before.resident) / count,
    heap: (after.heap - before.heap) / count,
    whole: after.resident / 1e6,
  }
}

/** Sets timers and leaves them pending, once in a process. */
export async function measureBytes(timers, { count, delay }) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))
  const setSome = (from, to) => {
    for (let i = from; i < to; i++) timers.set(nothing, delay)
  }
  return memoryOfEach(count, () => inTurns(count, batch, setSome))
}
