import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { atMostAbove } from '../runner/bars.mjs'

/** Files of the program. To find the first few, V8 loads its compiler, which takes 2 MB with or without `register`. */
const FILES = 10

export const registered = (group) =>
  group === 'native'
    ? {}
    : {
        execArgv: ['--require', createRequire(import.meta.url).resolve('timeout-wheel/register')],
        env: { TIMEOUT_WHEEL_BACKEND: group === 'wasm' ? 'wasm' : 'native' },
      }

export default {
  name: 'register',
  title: 'Cost of `register` at the start',
  note:
    `The start of a program of ${FILES} files, in a new process each time: CPU time of all threads, and memory of the process. The ` +
    'files are in the cache of the operating system.',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms', digits: 1 },
    { key: 'memory', label: 'memory', unit: 'MiB', digits: 1 },
  ],
  bars: [
    atMostAbove(12, 'start with `register`: CPU above without', 'cpu', 'addon', 'native'),
    atMostAbove(3, 'start with `register`: memory above without', 'memory', 'addon', 'native'),
  ],
  subjects: [
    { id: 'native', label: 'without', group: 'native' },
    { id: 'addon', label: '--require timeout-wheel/register', group: 'addon' },
    { id: 'wasm', label: 'the same, on WebAssembly', group: 'wasm' },
  ],
  warmUp: true,
  turns: 31,
  quick: true,

  async measure(_call, _settings, { group }, { runProgram }) {
    const folder = mkdtempSync(path.join(tmpdir(), 'timeout-wheel-'))
    try {
      for (let i = 0; i < FILES; i++) writeFileSync(path.join(folder, `part${i}.cjs`), 'module.exports = 1')
      return await runProgram('start.cjs', [folder], registered(group))
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}
