import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @import { Part } from '../runner/harness.mjs' */

/**
 * @param {string} name
 * @param {'signal' | 'wait'} work
 * @param {{ label: string, title: string, note: string }} text
 * @param {readonly { id: string, label: string, group: string, backend: string }[]} rows
 * @returns {Part}
 */
const partOf = (name, work, { label, title, note }, rows) => ({
  name,
  metrics: [{ key: work, label, unit: 'ns' }],
  describe: () => ({ title, note }),

  async run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = rows.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? (settings.full ? 7 : 3)
    const results = await inTurn([...compared], { name, turns, progress }, ({ backend }) =>
      runChild('deadlines.mjs', [backend, work]),
    )
    return results.map((row) => ({ ...row, against: `native-${work}` }))
  },
})

const ours = (/** @type {string} */ work, /** @type {string} */ label) => [
  { id: `addon-${work}`, label: `addon: ${label}`, group: 'addon', backend: 'addon' },
  { id: `wasm-${work}`, label: `wasm: ${label}`, group: 'wasm', backend: 'wasm' },
]

const ofSignals = [
  { id: 'native-signal', label: 'native AbortSignal.timeout', group: 'native', backend: 'native' },
  ...ours('signal', 'timeoutSignal'),
]
const ofWaits = [
  { id: 'native-wait', label: 'native Promise.race', group: 'native', backend: 'native' },
  { id: 'p-timeout', label: 'p-timeout', group: 'rival', backend: 'p-timeout' },
  ...ours('wait', 'withTimeout'),
]
/** All rows. */
export const deadlines = [...ofSignals, ...ofWaits]

export const signals = partOf(
  'signals',
  'signal',
  {
    label: 'a signal',
    title: 'A signal with a deadline that is not reached',
    note:
      'CPU time of the process for each of 100,000 signals, turns of the event loop included. Ours are made and cleared. Native ones ' +
      'cannot be cleared, so they stay pending.',
  },
  ofSignals,
)

export const withTimeout = partOf(
  'with-timeout',
  'wait',
  {
    label: 'a wait',
    title: 'A promise with a deadline that is not reached',
    note:
      'CPU time of the process for each of 100,000 waits for a promise that is fulfilled, 1,000 in a turn of the event loop. Native: ' +
      'Promise.race with a timer of setTimeout, which is cleared afterwards.',
  },
  ofWaits,
)
