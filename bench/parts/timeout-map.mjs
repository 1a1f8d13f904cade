import { formatCount } from '../report/format.mjs'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

export const maps = /** @type {const} */ ([
  { id: 'map-native', label: 'Map', group: 'native', kind: 'map' },
  { id: 'map-addon', label: 'addon: TimeoutMap', group: 'addon', kind: 'addon' },
  { id: 'map-wasm', label: 'wasm: TimeoutMap', group: 'wasm', kind: 'wasm' },
  { id: 'map-lru-cache', label: 'lru-cache with ttlAutopurge', group: 'rival', kind: 'lru-cache' },
  { id: 'map-ttlcache', label: '@isaacs/ttlcache', group: 'rival', kind: 'ttlcache' },
])

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'timeout-map',
  metrics: [
    { key: 'get', label: 'get, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'getLarge', label: 'get at random', unit: 'ns', digits: 1 },
    { key: 'set', label: 'set, 1,000 entries', unit: 'ns', digits: 1 },
    { key: 'setLarge', label: 'set at random', unit: 'ns', digits: 1 },
    { key: 'fill', label: 'fill', unit: 'ns' },
    { key: 'live', label: 'fill and expire', unit: 'ns' },
  ],

  describe: ({ timers }) => ({
    title: 'TimeoutMap: a Map with a time to live',
    note:
      'CPU time of the process for each operation; keys are strings. 1,000 entries in sequence, and ' +
      `${formatCount(timers)} at random; "set" replaces a value. Fill: as many new entries with a time to live of 2 s. ` +
      'Fill and expire: until no entry is left. A Map deletes its entries instead.',
  }),

  async run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = maps.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? (settings.full ? 5 : 2)
    const rows = await inTurn([...compared], { name: 'timeout-map', turns, progress }, ({ kind }) =>
      runChild('timeout-map.mjs', [kind, settings.timers], { heap: 4_096 }),
    )
    return rows.map((row) => ({ ...row, against: 'map-native' }))
  },
}
