import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @param {import('../runner/harness.mjs').Settings} settings */
const countOf = ({ timers }) => 10 * timers

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'early',
  metrics: [
    { key: 'early', label: 'early', unit: '' },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 3 },
  ],

  describe: (settings) => ({
    title: `Never early: ${formatCount(countOf(settings))} timers`,
    note:
      `${formatCount(countOf(settings))} timers of random delays of 1 to 2,000 ms are set as fast as possible on a busy ` +
      'event loop. The clock is read just before each timer is set, and again when it runs. Earliest: the least lateness.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(
      ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
    )
    return inTurn(compared, { name: 'early', turns: settings.turns ?? 1, progress }, ({ id }) =>
      runChild('early.mjs', [id, countOf(settings)], { heap: 8_192, patience: 240 }),
    )
  },
}
