import { join } from 'node:path'
import { root } from '../../.tooling/step.mjs'
import { summarize } from '../runner/statistics.mjs'

export default {
  name: 'path',
  title: 'The path of an expiry',
  note:
    'The functions of the package that run when a timer of a warm wheel expires, and their files: by the precise coverage of V8, in one ' +
    'bundle of the sources with the addon.',
  metrics: [
    { key: 'functions', label: 'functions', unit: '', digits: 0 },
    { key: 'files', label: 'files', unit: '', digits: 0 },
  ],
  bars: [],
  onRequest: true,

  async run({ progress, processes: { outputOf } }) {
    progress.show('path')
    const path = JSON.parse(await outputOf(process.execPath, [join(root, 'bench/programs/expiry-path.mjs')]))
    for (const { name, file } of path) console.log(`  ${file}: ${name}`)
    const files = new Set(path.map(({ file }) => file))
    const values = { functions: summarize([path.length]), files: summarize([files.size]) }
    return { rows: [{ id: 'timer', label: 'one timer of setTimeout', group: 'core', values }], about: {} }
  },
}
