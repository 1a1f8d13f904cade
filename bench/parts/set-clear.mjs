import { withFloors } from '../contenders/index.mjs'
import { inTurn } from '../runner/harness.mjs'
import { withOwnProcesses } from '../runner/processes.mjs'

const options = { count: 500_000, batch: 1_000, delay: 30_000 }

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'set-clear',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'later', label: '1,000 in flight', unit: 'ns', digits: 1 },
  ],

  describe: () => ({
    title: 'Set and clear: a request timeout',
    note:
      'A timer of 30 s is set and cleared. At once: it is cleared before the next is set, so that Node makes and drops ' +
      'its list of that delay each time. In flight: each loop turn sets 1,000 and clears the 1,000 of the turn before. ' +
      '500,000 timers, 1,000 per loop turn. The loop turns are part of the time. No callback runs.',
  }),

  run(contenders, settings, progress) {
    const compared = withFloors(contenders, settings, ['stored', 'object', 'resource'])
    const turns = settings.turns ?? 11
    return withOwnProcesses(compared, (ask) =>
      inTurn(compared, { name: 'set-clear', turns, warmUp: true, progress }, async (contender) => ({
        atOnce: ((await ask(contender, 'setAndClearAtOnce', options)) * 1e6) / options.count,
        later: ((await ask(contender, 'setAndClearLater', options)) * 1e6) / options.count,
      })),
    )
  },
}
