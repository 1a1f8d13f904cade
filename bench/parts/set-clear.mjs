import { atLeastTimes } from '../runner/bars.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'

export { setAndClearAtOnce, setAndClearLater } from '../runner/inside.mjs'

const options = { count: 500_000, batch: 1_000, delay: 30_000 }
const barsOf = (row, kind, to22, from24) => [
  atLeastTimes({ to22, from24 }, `set + clear, one delay, at once: ${kind}`, 'atOnce', row),
  atLeastTimes({ to22, from24 }, `set + clear, one delay, 1,000 in flight: ${kind}`, 'later', row),
]

export default {
  name: 'set-clear',
  title: 'Set and clear a request timeout, 1,000 in a turn',
  note:
    'A timer of 30 s is set and cleared. At once: it is cleared before the next is set, so that Node makes and drops its list of ' +
    'that delay each time. In flight: each loop turn sets 1,000 and clears the 1,000 of the turn before. 500,000 timers, 1,000 per ' +
    'loop turn. The loop turns are part of the time. No callback runs.',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'later', label: '1,000 in flight', unit: 'ns', digits: 1 },
  ],
  bars: [
    ...barsOf('addon-handles', 'handles with async context', 10, 6),
    ...barsOf('addon-handlesWithoutContext', 'handles without', 14, 8),
    ...barsOf('addon-numbers', 'numbers', 14, 8),
  ],
  hasRivals: true,
  floors: ['resource'],
  memoryBound: true,
  kept: true,
  warmUp: true,
  turns: 11,
  measure: async (call) => ({
    atOnce: nanosecondsEach(await call('setAndClearAtOnce', options), options),
    later: nanosecondsEach(await call('setAndClearLater', options), options),
  }),
}
