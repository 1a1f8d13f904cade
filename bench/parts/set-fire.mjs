import { formatCount } from '../report/format.mjs'
import { atLeastTimes, forApis } from '../runner/bars.mjs'
import { collectGarbage, countdown, cpuOf, inTurns, takeLateness, watchProgress } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const longestOf = ({ form }) => (form === 'short' ? 3_000 : 5_000)

export default {
  name: 'set-fire',
  title: ({ timers }) => `Set and fire ${formatCount(timers)} timers of random delays`,
  note: (settings) =>
    `Delays of 1 to ${formatCount(longestOf(settings))} ms. Each contender has its own process. CPU: user and system time of the whole ` +
    'process, from the first set to the last callback. Lateness: of every eighth timer, from a reading of the clock just before it ' +
    'was set. Below zero is early.',
  metrics: [
    { key: 'cpu', label: 'CPU per timer', unit: 'ns' },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2, isCost: false },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
  ],
  bars: forApis((api, row) => atLeastTimes(2.5, `set and fire a million: CPU per timer, ${api}`, 'cpu', row)),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  hasRivals: true,
  floors: ['run'],
  turns: { short: 2, full: 7 },
  fewer: true,
  measure: (call, settings) => call('fire', { count: settings.timers, longest: longestOf(settings) }),
}

/** One timer in so many reads the clock, because a reading costs about as much as a timer. */
const sampleEvery = 8

export const fire = (timers, options) => setAndFire(timers, { ...options, watch: watchProgress })

/** Sets `count` timers of random delays of at most `longest` ms and waits until all have run. `watch` is called when all are set. */
export async function setAndFire(timers, { count, longest, watch }) {
  const random = randomNumbers(2)
  const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))
  const { ran, left, finished } = countdown(count)
  const sampled = takeLateness(timers, Math.ceil(count / sampleEvery), ran)

  const setSome = (from, to) => {
    for (let i = from; i < to; i++) {
      const delay = delays[i]
      if (i % sampleEvery === 0) sampled.set(i / sampleEvery, delay)
      else timers.set(ran, delay)
    }
  }

  collectGarbage()
  const cpu = await cpuOf(count, async () => {
    await inTurns(count, 1_000, setSome)
    watch?.(left)
    await finished
  })
  const lateness = sampled.lateness.sort()
  return { cpu, earliest: lateness[0], late50: quantile(lateness, 0.5), late99: quantile(lateness, 0.99) }
}
