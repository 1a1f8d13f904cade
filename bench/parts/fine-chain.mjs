import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

export const chains = /** @type {const} */ ([
  { id: 'native-chain', label: 'native setTimeout, 1 ms', group: 'native', contender: 'native' },
  { id: 'nanotimer-chain', label: 'nanotimer, busy waiting', group: 'rival', contender: 'nanotimer' },
  { id: 'addon-chain', label: 'addon: ticks of 0.05 ms', group: 'addon', contender: 'addon' },
  // Not wasm-chain: the host wakes it at whole milliseconds, so its lateness is not compared with the addon's.
  { id: 'host-chain', label: 'wasm: ticks of 0.05 ms', group: 'wasm', contender: 'wasm' },
])

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'fine-chain',
  metrics: [
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 3 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 3 },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 3 },
    { key: 'chain', label: 'period', unit: 'ms', digits: 3 },
    { key: 'cpu', label: 'CPU', unit: '%', digits: 1 },
  ],

  describe: () => ({
    title: 'A chain of timers of 0.25 ms',
    note:
      'Each timer is set in the callback of the one before, for a second; native timers of 1 ms, their shortest delay. ' +
      'Lateness is measured from a reading of the clock just before the timer was set: below zero is early. The best of ' +
      'five runs by its p99; the earliest of all runs. CPU time of the whole process, of one processor.',
  }),

  run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = chains.filter(({ group }) => groups.has(group))
    return inTurn(
      [...compared],
      { name: 'fine-chain', turns: settings.turns ?? 1, progress },
      ({ contender }) => runChild('fine-chain.mjs', [contender]),
    )
  },
}
