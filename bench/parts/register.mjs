import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inTurn } from '../runner/harness.mjs'
import { runChild } from '../runner/processes.mjs'

/**
 * Files of the program. The search for the first few files makes V8 load its compiler, which takes 2 MB of the process with or
 * without `register`.
 */
const FILES = 10

/** @type {import('../runner/harness.mjs').Subject[]} */
const programs = [
  { id: 'native', label: 'without', group: 'native' },
  { id: 'addon', label: '--require timeout-wheel/register', group: 'addon' },
  { id: 'wasm', label: 'the same, on WebAssembly', group: 'wasm' },
]

/** @type {import('../runner/harness.mjs').Part} */
export default {
  name: 'register',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms', digits: 1 },
    { key: 'memory', label: 'memory', unit: 'MiB', digits: 1 },
  ],

  describe: () => ({
    title: 'Cost of `register` at the start',
    note:
      `The start of a program of ${FILES} files, in a new process each time: CPU time of all threads, and memory of the ` +
      'process. The files are in the cache of the operating system.',
  }),

  async run(contenders, settings, progress) {
    const groups = new Set(contenders.map(({ group }) => group))
    const compared = programs.filter(({ group }) => groups.has(group))
    const turns = settings.turns ?? 31
    const preload = createRequire(import.meta.url).resolve('timeout-wheel/register')
    const folder = mkdtempSync(path.join(tmpdir(), 'timeout-wheel-'))
    for (let i = 0; i < FILES; i++) writeFileSync(path.join(folder, `part${i}.cjs`), 'module.exports = 1')
    try {
      return await inTurn(
        compared,
        { name: 'register', turns, fewer: turns, warmUp: true, progress },
        ({ group }) =>
          runChild('start.cjs', [folder], {
            execArgv: group === 'native' ? [] : ['--require', preload],
            env: { TIMEOUT_WHEEL_BACKEND: group === 'wasm' ? 'wasm' : 'native' },
          }),
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
