import { formatCount } from '../report/format.mjs'
import { atMost, forApis } from '../runner/bars.mjs'
import { countdown, inTurns } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'

const countOf = ({ timers }) => 10 * timers

export default {
  name: 'early',
  title: (settings) => `Never early: ${formatCount(countOf(settings))} timers`,
  note: (settings) =>
    `${formatCount(countOf(settings))} timers of random delays of 1 to 2,000 ms are set as fast as possible on a busy event loop. The ` +
    'clock is read just before each timer is set, and again when it runs. Earliest: the least lateness.',
  metrics: [
    { key: 'early', label: 'early', unit: '', isCost: false },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 3, isCost: false },
  ],
  bars: forApis((api, row) => atMost(0, `early ones of ten million: ${api}`, 'early', row)),
  takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
  turns: 1,
  heap: 8_192,
  patience: 240,
  measure: (call, settings) => call('countEarly', { count: countOf(settings) }),
}

export async function countEarly(timers, { count }) {
  const random = randomNumbers(7)
  const due = new Float64Array(count)
  const { ran, finished } = countdown(count)
  let early = 0
  let earliest = Infinity
  const onTimeout = (i) => {
    const late = performance.now() - due[i]
    if (late < earliest) earliest = late
    if (late < 0) early++
    ran()
  }
  await inTurns(count, 1_000, (from, to) => {
    for (let i = from; i < to; i++) {
      const delay = 1 + Math.floor(random() * 2_000)
      due[i] = performance.now() + delay
      timers.setWith(onTimeout, delay, i)
    }
  })
  await finished
  return { early, earliest }
}
