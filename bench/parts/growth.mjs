import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** Mebibytes. Native timers and handles with a context need so much, garbage included. */
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
      'Each call that sets a timer is timed. If each timer is an object, a garbage collection within the call is most of ' +
      'a long call, so the longest call without a collection stands beside it. Calls below 0.5 ms count as 0.',
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
