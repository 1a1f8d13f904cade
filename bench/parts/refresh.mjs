import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/harness.mjs'
import { withOwnProcesses } from '../runner/processes.mjs'

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'refresh',
  metrics: [{ key: 'refresh', label: 'refresh', unit: 'ns', digits: 1 }],

  describe: ({ timers }) => ({
    title: `Refresh at random over ${formatCount(timers)} pending`,
    note:
      `${formatCount(timers)} timers of 60 s are pending. Each is refreshed once, in random order, 1,000 per loop turn. ` +
      'Setting them is not timed. Numbers are rescheduled.',
  }),

  run(contenders, settings, progress) {
    // A refresh captures no async context, so handles without a context would only repeat the rows of those with one.
    const ours = contenders.filter(({ api }) => api !== 'handlesWithoutContext')
    const compared = withFloors(ours, settings, ['stored', 'written'])
    const options = { count: settings.timers, batch: 1_000, delay: 60_000 }
    return withOwnProcesses(compared, (ask) =>
      inTurn(
        compared,
        { name: 'refresh', turns: settings.turns ?? 9, warmUp: true, progress },
        async (contender) => ({
          refresh: ((await ask(contender, 'refreshAll', options)) * 1e6) / options.count,
        }),
      ),
    )
  },
}
