import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

const perSecond = 10_000
const seconds = 3

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'precision',
  metrics: [
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2 },
    { key: 'early', label: 'early', unit: '%', digits: 2 },
    { key: 'late50Callbacks', label: 'late p50, set in callbacks', unit: 'ms', digits: 2 },
    { key: 'chain', label: 'period of a chain of 10 ms', unit: 'ms', digits: 2 },
  ],

  describe: () => ({
    title: `Precision: ${formatCount(perSecond)} timers a second on a quiet loop`,
    note:
      `Random delays of 1 to 1,000 ms, ${seconds} s after one that is not counted. The timers are set when messages of ` +
      "another thread arrive, as requests do, at random moments. Each one's lateness is taken against a clock read just " +
      'before it was set: below zero is early. What is rounded down to the start of a millisecond, ' +
      "as Node's timers are, is up to a millisecond less late, and early for it. " +
      'The last but one column has timers that are set every 2 ms in the callbacks of others: just behind the beginning ' +
      'of a millisecond, so that what is never early waits for the end of one, nearly all of it, but for short delays: ' +
      'see the last column, where each timer is set in the callback of the former.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'precision', ...turns, progress }, ({ id }) =>
      runChild('precision.mjs', [id, perSecond, seconds]),
    )
  },
}
