import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @import { Part } from '../runner/harness.mjs' */

export const members = /** @type {const} */ ([
  { id: 'native-members', label: 'native setTimeout', group: 'native', backend: 'native' },
  { id: 'addon-members', label: 'addon: members of groups', group: 'addon', backend: 'addon' },
  { id: 'wasm-members', label: 'wasm: members of groups', group: 'wasm', backend: 'wasm' },
])

/**
 * @param {string} name
 * @param {number} size  The members of a group; 0: all are in one group.
 * @returns {Part}
 */
const partOf = (name, size) => ({
  name,
  metrics: [
    { key: 'touch', label: 'touch', unit: 'ns', digits: 1 },
    { key: 'atOnce', label: 'add and delete', unit: 'ns', digits: 1 },
    { key: 'later', label: '1,000 in flight', unit: 'ns', digits: 1 },
    { key: 'expire', label: 'add and expire, CPU', unit: 'ns' },
    { key: 'heap', label: 'in use', unit: 'bytes', digits: 1 },
    { key: 'resident', label: 'process', unit: 'bytes', digits: 1 },
  ],

  describe: ({ timers }) => ({
    title:
      size === 0 ? `A group of ${formatCount(timers)}` : `${formatCount(timers / size)} groups of ${size}`,
    note:
      `${formatCount(timers)} members with one callback and one delay; natively a timer of setTimeout each, which refresh() ` +
      'touches. CPU time of the process, turns of the event loop included; medians of nine rounds after two that warm up. ' +
      'Touch: each once in a round, read in sequence from a shuffled array. Add and delete: 500,000, at once, or with 1,000 in flight; in a group that is empty otherwise, or in ' +
      'small groups with their members. Expire: CPU time of the process from the first add until all have run, 2 s later. In use and process: as in ' +
      'the part hold; the reference to the item of a member is 8 of these bytes.',
  }),

  async run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = members.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? (settings.full ? 5 : 3)
    const shape = size === 0 ? [1, settings.timers] : [settings.timers / size, size]
    const rows = await inTurn([...compared], { name, turns, progress }, ({ backend }) =>
      runChild('groups.mjs', [backend, ...shape]),
    )
    return rows.map((row) => ({ ...row, against: 'native-members' }))
  },
})

export const groups = partOf('groups', 0)
export const smallGroups = partOf('groups-of-10', 10)
