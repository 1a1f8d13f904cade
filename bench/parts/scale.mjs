import { formatCount } from '../report/format.mjs'
import { collectGarbage, HOUR, nothing, setPending, timeTurns } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { nanosecondsEach, summarize } from '../runner/statistics.mjs'

const sizes = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
/** Ten million timers of a rival need more memory than the other processes leave. */
const rivalsUpTo = 1_000_000
const count = 50_000
const rounds = 7

export default {
  name: 'scale',
  chart: 'lines',
  title: 'Flat cost: set and clear amid 100 to 10,000,000 pending',
  note:
    'Timers of random delays of one to two hours are pending. 50,000 timers of random delays are set, and each is cleared at once, ' +
    '1,000 per loop turn. Each contender has one process for all sizes.',
  metrics: sizes.map((size) => ({ key: `at${size}`, label: formatCount(size), unit: 'ns', digits: 1 })),
  takes: ({ id }) => id !== 'wasm-handlesWithoutContext',
  turns: 3,
  // Ten million native timers or handles need so much, garbage included.
  heap: 10_240,
  patience: 240,

  measure(call, { timers }, { group }) {
    const most = group === 'rival' ? Math.min(rivalsUpTo, timers * 10) : timers * 10
    return call('measureSizes', { sizes: sizes.filter((size) => size <= most) })
  },
}

const random = randomNumbers(4)

const randomDelay = () => HOUR + Math.floor(random() * HOUR)

let delays

function setAndClearSome(timers, from, to) {
  for (let i = from; i < to; i++) timers.clear(timers.set(nothing, delays[i & 0xffff]))
}

export async function measureSizes(timers, { sizes }) {
  delays = Uint32Array.from({ length: 1 << 16 }, randomDelay)
  const times = {}
  let pending = 0
  for (const size of sizes) {
    await setPending(timers, size - pending, randomDelay)
    pending = size
    collectGarbage()
    const samples = []
    for (let round = -1; round < rounds; round++) {
      const elapsed = await timeTurns(count, 1_000, (from, to) => setAndClearSome(timers, from, to))
      if (round >= 0) samples.push(nanosecondsEach(elapsed, { count }))
    }
    times[`at${size}`] = summarize(samples).median
  }
  return times
}
