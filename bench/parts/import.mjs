import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/** @type {(import('../runner/harness.mjs').Subject & { specifier: string })[]} */
const modules = [
  { id: 'empty', label: 'an empty module', group: 'native', specifier: './empty.mjs' },
  { id: 'addon', label: 'timeout-wheel/native', group: 'addon', specifier: 'timeout-wheel/native' },
  { id: 'either', label: 'timeout-wheel', group: 'addon', specifier: 'timeout-wheel' },
  { id: 'wasm', label: 'timeout-wheel/wasm', group: 'wasm', specifier: 'timeout-wheel/wasm' },
]

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'import',
  metrics: [
    { key: 'imported', label: 'import', unit: 'ms', digits: 2 },
    { key: 'used', label: 'and a first timer', unit: 'ms', digits: 2 },
    { key: 'process', label: 'whole process', unit: 'ms', digits: 1 },
  ],

  describe: () => ({
    title: "Cost of `import 'timeout-wheel'`",
    note:
      'In a new process each time: the time until the import is done, the time until one timer has been set and cleared, ' +
      'and the time from the start of the process to its end. The files are in the cache of the operating system.',
  }),

  run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = modules.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? 31
    return inTurn(
      compared,
      { name: 'import', turns, fewer: turns, warmUp: true, progress },
      async ({ specifier }) => {
        const start = performance.now()
        const sample = await runChild('import.mjs', [specifier])
        return { ...sample, process: performance.now() - start }
      },
    )
  },
}
