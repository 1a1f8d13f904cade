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
      `Random delays of 1 to 1,000 ms for ${seconds} s, after a first second that is not counted. The timers are set when ` +
      'messages of another thread arrive at random moments, as requests do. Lateness is measured from a reading of the ' +
      'clock just before the timer was set: below zero is early. Node rounds down to the start of a millisecond, so that ' +
      'its timers are up to a millisecond less late, and run early. The column before the last has timers that are set ' +
      'every 2 ms in the callbacks of others. They are set just after the start of a millisecond, so that a timer that ' +
      'never runs early waits for nearly a whole millisecond more. Short delays do not: in the last column each timer is ' +
      'set in the callback of the one before.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'precision', ...turns, progress }, ({ id }) =>
      runChild('precision.mjs', [id, perSecond, seconds]),
    )
  },
}
