import { withFloors } from '../contenders/index.mjs'
import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

const perSecond = 200_000
const seconds = 10

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'garbage',
  metrics: [
    { key: 'pause', label: 'pauses', unit: 'ms', digits: 1 },
    { key: 'longest', label: 'longest', unit: 'ms', digits: 1 },
    { key: 'cpu', label: 'CPU', unit: 'ms' },
    { key: 'replaced', label: 'replaced', unit: '' },
  ],

  describe: ({ timers }) => ({
    title: `Garbage collection while ${formatCount(timers)} pending churn for ${seconds} s`,
    note:
      `${formatCount(timers)} timers of one delay are pending. ${formatCount(perSecond)} random timers a second are ` +
      'cleared and replaced, the same number for each contender. Pauses: the sum of the pauses of V8, as a ' +
      'PerformanceObserver reports them. CPU: the whole process, with the threads that collect garbage.',
  }),

  run(contenders, settings, progress) {
    const able = contenders.filter(({ id }) => id !== 'wasm-handlesWithoutContext')
    const compared = withFloors(able, settings, ['resource'])
    const turns = { turns: settings.turns ?? 7, fewer: Math.min(2, fewerTurns(settings) ?? 2) }
    return inTurn(compared, { name: 'garbage', ...turns, progress }, ({ id }) =>
      runChild('churn.mjs', [id, settings.timers, perSecond, seconds]),
    )
  },
}
