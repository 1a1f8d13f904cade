import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { withOwnProcesses } from '../runner/processes.mjs'

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'distinct',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'replaced', label: 'replaced at random', unit: 'ns', digits: 1 },
  ],

  describe: ({ timers }) => ({
    title: `Set and clear amid ${formatCount(timers)} pending, all delays distinct`,
    note:
      `${formatCount(timers)} timers are pending. All delays are longer than an hour, and no two timers have the same ` +
      'delay, so that Node makes a list for each. At once: a timer is cleared before the next is set. Replaced: a random ' +
      'pending timer is cleared, and another is set in its place. Garbage is collected before each of the two.',
  }),

  run(contenders, settings, progress) {
    const options = { batch: 1_000, pending: settings.timers }
    const atOnce = { ...options, count: 500_000 }
    const replaced = { ...options, count: 100_000 }
    const turns = { turns: settings.turns ?? 7, fewer: fewerTurns(settings) }
    const compared = withFloors(contenders, settings, ['stored', 'object', 'resource'])
    return withOwnProcesses(compared, (ask) =>
      inTurn(compared, { name: 'distinct', ...turns, warmUp: true, progress }, async (contender) => ({
        atOnce: ((await ask(contender, 'setAndClearDistinct', atOnce)) * 1e6) / atOnce.count,
        replaced: ((await ask(contender, 'replaceDistinct', replaced)) * 1e6) / replaced.count,
      })),
    )
  },
}
