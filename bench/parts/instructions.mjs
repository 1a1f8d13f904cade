import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../.tooling/step.mjs'
import { RESULTS, readLine } from '../runner/results.mjs'
import { summarize } from '../runner/statistics.mjs'

/** A region that needs this share more instructions than before is a regression. */
const TOLERATED = 0.02
const build = join(root, 'build/bench-instructions')
const binary = join(build, 'instructions')
const counts = join(build, 'callgrind.out')

const fromCache = (name) =>
  readFileSync(join(build, 'CMakeCache.txt'), 'utf8').match(new RegExp(`^${name}:\\w+=(.*)$`, 'm'))?.[1] ?? ''

async function countInstructions(name, outputOf) {
  const options = ['--tool=callgrind', '--instr-atstart=no', '--quiet', `--callgrind-out-file=${counts}`]
  await outputOf('valgrind', [...options, binary, name])
  const counted = Number(readFileSync(counts, 'utf8').match(/^totals: (\d+)/m)?.[1])
  if (!(counted > 0)) throw new Error(`${name}: callgrind counted nothing`)
  return counted
}

export default {
  name: 'instructions',
  title: 'Instructions of fixed programs over the core',
  note:
    'Counted by callgrind, so the counts are equal on every machine with the same compiler and C library. Each region runs in its ' +
    'own process, and its preparations are not counted.',
  metrics: [{ key: 'instructions', label: 'instructions per operation', unit: '', digits: 2 }],
  onRequest: true,
  sources: ['native/core', ':!native/core/testing'],

  async run({ settings, progress, processes: { outputOf } }) {
    const { cmakeBuild } = await import('../../.tooling/cmake.mjs')
    await cmakeBuild('bench-instructions')
    const rows = []
    for (const line of (await outputOf(binary, [])).trim().split('\n')) {
      const [, operations, name] = line.match(/^(\d+) (.*)$/)
      progress.show(`instructions: ${name}`)
      const each = (await countInstructions(name, outputOf)) / Number(operations)
      rows.push({ id: name, label: name, group: 'core', values: { instructions: summarize([each]) } })
    }
    const about = {
      compiler: (await outputOf(fromCache('CMAKE_CXX_COMPILER'), ['--version'])).split('\n')[0],
      valgrind: (await outputOf('valgrind', ['--version'])).trim(),
    }
    if (settings.compare) compare(rows, about)
    return { rows, about }
  },
}

function compare(rows, about) {
  const before = readLine(RESULTS, 'instructions')
  if (before === undefined)
    throw new Error('bench/results/instructions.json is missing: nothing to compare with')
  const worse = []
  for (const { id, values } of before.rows) {
    const now = rows.find((row) => row.id === id)?.values.instructions.median
    const change = now === undefined ? Infinity : now / values.instructions.median - 1
    const shown =
      now === undefined ? 'is no longer counted' : `${(Math.round(change * 1e4) / 100).toFixed(2)}%`
    console.log(id.padEnd(28) + shown)
    if (change > TOLERATED) worse.push(id)
  }
  if (before.compiler !== about.compiler) {
    console.log(`No verdict, because the compilers differ: ${before.compiler} then, ${about.compiler} now`)
  } else if (worse.length > 0) {
    throw new Error(`More than ${TOLERATED * 100}% worse, or missing: ${worse.join(', ')}`)
  }
}
