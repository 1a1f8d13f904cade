import { existsSync } from 'node:fs'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

const slack = 5

export const slacks = /** @type {const} */ ([
  { id: 'native-timers', label: 'native setTimeout', group: 'native', backend: 'native', slack: 0 },
  { id: 'addon-exact', label: 'addon, without slack', group: 'addon', backend: 'addon', slack: 0 },
  { id: 'addon-slack', label: `addon, slack of ${slack} ms`, group: 'addon', backend: 'addon', slack },
  { id: 'wasm-exact', label: 'wasm, without slack', group: 'wasm', backend: 'wasm', slack: 0 },
  { id: 'wasm-slack', label: `wasm, slack of ${slack} ms`, group: 'wasm', backend: 'wasm', slack },
])

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'slack',
  metrics: [
    { key: 'wakeUps', label: 'wake-ups a second', unit: '' },
    { key: 'cpu', label: 'CPU', unit: '%', digits: 1 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2 },
    { key: 'rate', label: 'timers a second', unit: '' },
  ],

  describe: () => ({
    title: 'Slack: 10,000 timers a second',
    note:
      'Random delays of 1 to 1,000 ms; each timer is set in the callback of another. Wake-ups are the voluntary context ' +
      'switches of the main thread, as Linux counts them. CPU time of the whole process, of one processor.',
  }),

  async run(contenders, settings, progress) {
    if (!existsSync('/proc/self/task')) {
      progress.skip('slack', 'wake-ups are read from /proc, which exists only on Linux')
      return []
    }
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = slacks.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? 5
    return inTurn([...compared], { name: 'slack', turns, progress }, ({ backend, slack }) =>
      runChild('slack.mjs', [backend, slack]),
    )
  },
}
