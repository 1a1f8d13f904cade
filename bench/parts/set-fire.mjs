import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @param {import('../runner/harness.mjs').Settings} settings */
const longestDelayOf = ({ full }) => (full ? 5_000 : 3_000)

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'set-fire',
  metrics: [
    { key: 'cpu', label: 'CPU per timer', unit: 'ns' },
    { key: 'wall', label: 'wall', unit: 'ms' },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
  ],

  describe: (settings) => ({
    title: `Set and fire ${formatCount(settings.timers)} timers of random delays`,
    note:
      `Delays of 1 to ${formatCount(longestDelayOf(settings))} ms. Each contender has its own process. CPU: user and ` +
      'system time of the whole process, from the first set to the last callback. Lateness: of every eighth timer, from ' +
      'a reading of the clock just before it was set. Below zero is early.',
  }),

  run(contenders, settings, progress) {
    const able = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const compared = withFloors(able, settings, ['run'])
    const turns = { turns: settings.turns ?? (settings.full ? 7 : 2), fewer: fewerTurns(settings) }
    return inTurn(compared, { name: 'set-fire', ...turns, progress }, ({ id }) =>
      runChild('set-fire.mjs', [id, settings.timers, longestDelayOf(settings)]),
    )
  },
}
