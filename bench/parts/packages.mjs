import { createRequire } from 'node:module'
import { programs } from '../packages/index.mjs'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/**
 * @import { Program } from '../packages/index.mjs'
 * @import { Subject } from '../runner/harness.mjs'
 *
 * @typedef {Subject & { program: string, way: 'package' | 'own' }} Run
 */

/**
 * @param {Program} program
 * @returns {Run[]}
 */
function runsOf({ id: program, label, own }) {
  /** @type {Run[]} */
  const runs = [
    { id: `${program}-native`, label: `${label}: native`, group: 'native', program, way: 'package' },
    { id: `${program}-addon`, label: `${label}: register`, group: 'addon', program, way: 'package' },
    { id: `${program}-wasm`, label: `${label}: register, wasm`, group: 'wasm', program, way: 'package' },
  ]
  if (own !== undefined) {
    runs.push({ id: `${program}-own`, label: `${label}: ${own}`, group: 'addon', program, way: 'own' })
  }
  return runs
}

export const runs = programs.flatMap(runsOf)

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'packages',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms' },
    { key: 'memory', label: 'peak memory', unit: 'MiB' },
  ],

  describe: () => ({
    title: 'Real packages: CPU time of the whole process',
    note:
      'Programs with packages from npm, and with code of that kind, from the start of the process until no timer is left. ' +
      '"register": the same program with --require timeout-wheel/register. The last rows of a program use the API of this ' +
      'package instead of the package or of setTimeout.',
  }),

  async run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = runs.filter(({ group }) => groups.has(group))
    const preload = createRequire(import.meta.url).resolve('timeout-wheel/register')
    const turns = settings.turns ?? (settings.full ? 7 : 1)
    const rows = await inTurn(compared, { name: 'packages', turns, progress }, ({ group, program, way }) =>
      runChild('packages.mjs', [program, way], {
        execArgv: group === 'native' || way === 'own' ? [] : ['--require', preload],
        env: { TIMEOUT_WHEEL_BACKEND: group === 'wasm' ? 'wasm' : 'native' },
      }),
    )
    return rows.map((row, i) => ({ ...row, against: `${compared[i].program}-native` }))
  },
}
