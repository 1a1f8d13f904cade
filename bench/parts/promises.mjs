import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'promises',
  metrics: [
    { key: 'plain', label: 'await', unit: 'ns' },
    { key: 'signal', label: 'with a signal', unit: 'ns' },
    { key: 'atOnce', label: '100,000 at once', unit: 'ns' },
  ],

  describe: () => ({
    title: 'await setTimeout(ms) of timers/promises',
    note:
      'CPU time of the whole process for each wait, until the waiting function continues. 1,000 functions wait 40 times ' +
      'for 1 ms, without and with a signal; 100,000 functions wait at the same time for 20 ms, which is mostly garbage ' +
      'collection of promises. The promise and the function alone, without a timer, take about half of the native figure.',
  }),

  run(contenders, settings, progress) {
    const compared = contenders.filter(({ api, group }) => api === 'handles' && group !== 'rival')
    const turns = settings.turns ?? (settings.full ? 7 : 3)
    return inTurn(compared, { name: 'promises', turns, progress }, ({ id }) => runChild('promises.mjs', [id]))
  },
}
