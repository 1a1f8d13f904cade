/**
 * Counts the instructions of fixed programs over the core by callgrind, the same on every machine with the same compiler
 * and C library. Each region is a process of its own, and its preparations are not counted.
 *
 *   node bench/instructions/run.mjs              writes bench/results/instructions.json
 *   node bench/instructions/run.mjs --compare    compares with that file; fails where a region got worse by over 2%
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from '../../.tooling/cmake.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { fail, root, say } from '../../.tooling/step.mjs'

/** More instructions than before, by so much of them, are a regression. */
const TOLERATED = 0.02
const PRESET = 'bench-instructions'

const results = join(root, 'bench/results/instructions.json')
const binary = join(root, 'build', PRESET, 'instructions')
const counts = join(root, 'build', PRESET, 'callgrind.out')

/** @typedef {{ name: string, operations: number, instructions: number }} Count */
/** @typedef {{ compiler: string, valgrind: string, regions: Count[] }} Results */

function outputOf(program, args) {
  const { status, error, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) fail(`${program} could not be run: ${error.message}`)
  if (status !== 0) fail(`${program} ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}

function fromCache(name) {
  const cache = readFileSync(join(root, 'build', PRESET, 'CMakeCache.txt'), 'utf8')
  return cache.match(new RegExp(`^${name}:\\w+=(.*)$`, 'm'))?.[1] ?? ''
}

function countInstructions(name) {
  outputOf('valgrind', [
    ...['--tool=callgrind', '--instr-atstart=no', '--quiet', `--callgrind-out-file=${counts}`],
    ...[binary, name],
  ])
  return Number(readFileSync(counts, 'utf8').match(/^totals: (\d+)/m)?.[1])
}

/** @returns {Results} */
function measure() {
  const listed = outputOf(binary, []).trim().split('\n')
  const regions = listed.map((line) => {
    const [, operations, name] = line.match(/^(\d+) (.*)$/)
    const instructions = countInstructions(name)
    if (!(instructions > 0)) fail(`${name}: callgrind counted nothing`)
    return { name, operations: Number(operations), instructions }
  })
  return {
    compiler: outputOf(fromCache('CMAKE_CXX_COMPILER'), ['--version']).split('\n')[0],
    valgrind: outputOf('valgrind', ['--version']).trim(),
    regions,
  }
}

const perOperation = ({ instructions, operations }) => (instructions / operations).toFixed(2)

/** Prints the two side by side. Returns the names of the regions that got worse. */
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

const [option, ...rest] = process.argv.slice(2)
if (rest.length > 0 || (option !== undefined && option !== '--compare')) {
  fail('usage: node bench/instructions/run.mjs [--compare]')
}
setUp(['instructions'])
cmakeBuild(PRESET)
const now = measure()
if (option === '--compare') {
  if (!existsSync(results)) fail('there is no bench/results/instructions.json to compare with')
  const before = JSON.parse(readFileSync(results, 'utf8'))
  const worse = compare(before, now)
  if (before.compiler !== now.compiler) {
    say(`\nOf two compilers, so no verdict: ${before.compiler} then, ${now.compiler} now`)
  } else if (worse.length > 0) {
    fail(`More than ${TOLERATED * 100}% worse, or gone: ${worse.join(', ')}`)
  }
} else {
  for (const region of now.regions) say(region.name.padEnd(28) + perOperation(region).padStart(10))
  writeFileSync(results, `${JSON.stringify(now, null, 2)}\n`)
  say('written: bench/results/instructions.json')
}
