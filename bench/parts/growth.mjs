import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** Native's and ours with a context, garbage included, in mebibytes. */
const heap = 8_192

/** @param {import('../runner/harness.mjs').Settings} settings */
const countOf = ({ timers }) => 8 * timers

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'growth',
  metrics: [
    { key: 'call', label: 'longest call', unit: 'ms', digits: 2 },
    { key: 'own', label: 'without a collection', unit: 'ms', digits: 2 },
  ],

  describe: (settings) => ({
    title: `Growth: the longest single call on the way to ${formatCount(countOf(settings))} pending`,
    note:
      'Every call that sets a timer is timed. Garbage is collected within some of them, which is most of a long call ' +
      'where each timer is an object: beside it the longest call without a collection. Calls below 0.5 ms count as 0.',
  }),

  run(contenders, settings, progress) {
    const ours = contenders.filter(({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival')
    const compared = withFloors(ours, settings, ['kept'])
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'growth', ...turns, progress }, ({ id }) =>
      runChild('growth.mjs', [id, countOf(settings)], { heap }),
    )
  },
}
