/**
 * Counts the instructions of fixed programs over the core with callgrind. The counts are equal on every machine that has the
 * same compiler and C library. Each region runs in its own process, and its preparations are not counted.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from '../../.tooling/cmake.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { fail, outputOf, root, say } from '../../.tooling/step.mjs'
import { readOptions } from '../runner/options.mjs'

/** A region that needs this share more instructions than before is a regression. */
const TOLERATED = 0.02
const PRESET = 'bench-instructions'

const results = join(root, 'bench/results/instructions.json')
const binary = join(root, 'build', PRESET, 'instructions')
const counts = join(root, 'build', PRESET, 'callgrind.out')

/** @typedef {{ name: string, operations: number, instructions: number }} Count */
/** @typedef {{ compiler: string, valgrind: string, regions: Count[] }} Results */

function fromCache(name) {
  const cache = readFileSync(join(root, 'build', PRESET, 'CMakeCache.txt'), 'utf8')
  return cache.match(new RegExp(`^${name}:\\w+=(.*)$`, 'm'))?.[1] ?? ''
}

async function countInstructions(name) {
  await outputOf('valgrind', [
    ...['--tool=callgrind', '--instr-atstart=no', '--quiet', `--callgrind-out-file=${counts}`],
    ...[binary, name],
  ])
  return Number(readFileSync(counts, 'utf8').match(/^totals: (\d+)/m)?.[1])
}

/** @returns {Promise<Results>} */
async function measure() {
  const listed = (await outputOf(binary, [])).trim().split('\n')
  const regions = []
  for (const line of listed) {
    const [, operations, name] = line.match(/^(\d+) (.*)$/)
    const instructions = await countInstructions(name)
    if (!(instructions > 0)) fail(`${name}: callgrind counted nothing`)
    regions.push({ name, operations: Number(operations), instructions })
  }
  return {
    compiler: (await outputOf(fromCache('CMAKE_CXX_COMPILER'), ['--version'])).split('\n')[0],
    valgrind: (await outputOf('valgrind', ['--version'])).trim(),
    regions,
  }
}

const perOperation = ({ instructions, operations }) => (instructions / operations).toFixed(2)

/** Prints both side by side. Returns the names of the regions that got worse or are missing. */
function compare(before, now) {
  say(
    `${'instructions per operation'.padEnd(28)}${'old'.padStart(10)}${'new'.padStart(10)}${'change'.padStart(10)}`,
  )
  const worse = []
  for (const region of now.regions) {
    const old = before.regions.find(({ name }) => name === region.name)
    if (old === undefined) {
      say(`${region.name.padEnd(28)}${'-'.padStart(10)}${perOperation(region).padStart(10)}`)
      continue
    }
    const ratio = region.instructions / region.operations / (old.instructions / old.operations)
    const change = `${ratio < 1 ? '' : '+'}${((ratio - 1) * 100).toFixed(2)}%`
    const row = [perOperation(old), perOperation(region), change].map((cell) => cell.padStart(10)).join('')
    say(region.name.padEnd(28) + row)
    if (ratio > 1 + TOLERATED) worse.push(region.name)
  }
  const gone = before.regions.filter(({ name }) => !now.regions.some((region) => region.name === name))
  for (const { name } of gone) say(`${name.padEnd(28)} is no longer counted`)
  return [...worse, ...gone.map(({ name }) => name)]
}

export const usage = `npm run bench -- instructions [--compare]

Counts the instructions of fixed programs over the core, and writes bench/results/instructions.json.
  --compare  compare with that file instead; fail if a region needs over ${TOLERATED * 100}% more instructions`

/** @param {string[]} args */
export async function run(args) {
  const { values } = readOptions(args, { compare: { type: 'boolean', default: false } })
  await setUp(['instructions'])
  await cmakeBuild(PRESET)
  const now = await measure()
  if (values.compare) return compareWithResults(now)
  for (const region of now.regions) say(region.name.padEnd(28) + perOperation(region).padStart(10))
  writeFileSync(results, `${JSON.stringify(now, null, 2)}\n`)
  say('written: bench/results/instructions.json')
}

/** @param {Results} now */
function compareWithResults(now) {
  if (!existsSync(results))
    fail('bench/results/instructions.json is missing: there is nothing to compare with')
  const before = JSON.parse(readFileSync(results, 'utf8'))
  const worse = compare(before, now)
  if (before.compiler !== now.compiler) {
    say(`\nNo verdict, because the compilers differ: ${before.compiler} then, ${now.compiler} now`)
  } else if (worse.length > 0) {
    fail(`More than ${TOLERATED * 100}% worse, or missing: ${worse.join(', ')}`)
  }
}
