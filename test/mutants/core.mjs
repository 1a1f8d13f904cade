/** The suite `mutants`: puts the faults of core-faults.txt one after the other into a copy of the core. A test must fail for each. */
import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { LimitError, run } from '../../.tooling/child.cjs'
import { setUp } from '../../.tooling/setup.mjs'
import { fail, filesUnder, root, say } from '../../.tooling/step.mjs'
import { readFaults, withFault } from './fault.mjs'

/** The memory limit of a test program, in KiB: a fault may make it allocate endlessly. */
const MEMORY_LIMIT = 4 * 2 ** 20
const BUILD_LIMIT = 600_000
/** A run is endless if it takes this many times as long as without a fault, and at least `LEAST_LIMIT` ms. */
const PATIENCE = 3
const LEAST_LIMIT = 30_000

const FOLDER = 'build/mutants'
const COPIED = ['native', 'test/core', 'CMakeLists.txt', 'CMakePresets.json']
const tree = join(root, FOLDER)
const binary = join(tree, 'build/core-tests/core_tests')

/** Updates the copy, and removes a fault that an interrupted run left in it. Unchanged files keep their times: little is built again. */
function copyTree() {
  for (const file of filesUnder(...COPIED.map((path) => join(FOLDER, path))))
    if (!existsSync(file.replace(tree, root))) rmSync(file)
  const hasChanged = (from, to) => !existsSync(to) || !readFileSync(from).equals(readFileSync(to))
  const filter = (from, to) => statSync(from).isDirectory() || hasChanged(from, to)
  for (const path of COPIED) cpSync(join(root, path), join(tree, path), { recursive: true, filter })
}

async function cmake(args) {
  const { code, stdout, stderr } = await run('cmake', args, { cwd: tree, limit: BUILD_LIMIT })
  return code === 0 ? '' : stdout + stderr
}

/** @returns {Promise<string>} the errors, or '' */
async function build() {
  // No warnings: a variable that a fault leaves unused is not an error.
  const configured = existsSync(join(tree, 'build/core-tests/build.ninja'))
  const problem = configured ? '' : await cmake(['--preset', 'core-tests', '-DCMAKE_CXX_FLAGS=-w'])
  return problem || cmake(['--build', '--preset', 'core-tests', '--target', 'core_tests'])
}

/** Runs the tests up to the first failure. @returns {Promise<string | undefined>} the failed test */
async function test(limit) {
  const outcome = await run('sh', ['-c', `ulimit -v ${MEMORY_LIMIT}; exec '${binary}' --gtest_fail_fast`], {
    cwd: tree,
    limit,
  }).catch((error) => {
    if (!(error instanceof LimitError)) throw error
    return { code: null, stdout: error.stdout, end: 'endless' }
  })
  if (outcome.code === 0) return undefined
  const failed = outcome.stdout.match(/^\[ {2}FAILED {2}\] ([^\s,]+)/m)?.[1]
  const last = outcome.stdout.match(/.*^\[ RUN {6}\] (\S+)/ms)?.[1]
  return failed ?? `${last} (${outcome.end ?? 'crash'})`
}

/** Builds and tests without a fault. @returns {Promise<number>} the limit of a run with a fault, in milliseconds */
async function testUnchanged() {
  const problem = await build()
  if (problem !== '') fail(`the core does not build without a fault:\n${problem}`)
  const start = performance.now()
  const failed = await test(BUILD_LIMIT)
  if (failed !== undefined) fail(`a test of the core fails without a fault: ${failed}`)
  return Math.max(LEAST_LIMIT, PATIENCE * (performance.now() - start))
}

/** @returns {Promise<boolean>} whether a test failed */
async function tryFault(fault, limit) {
  const start = performance.now()
  const [problem, failed] = await withFault(tree, fault, async () => {
    const problem = await build()
    return [problem, problem === '' ? await test(limit) : undefined]
  })
  const verdict = problem === '' ? (failed ?? 'SURVIVED: no test failed') : `DOES NOT BUILD\n${problem}`
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  say(`${seconds.padStart(6)} s  ${fault.name.padEnd(54)}  ${verdict}`)
  return failed !== undefined
}

/** @param {string[]} words parts of the names of the faults; none for all @returns {Promise<import('../../.tooling/counts.mjs').Count>} */
export async function tryFaults(words) {
  const { faults, problems } = readFaults(root, words)
  if (problems.length > 0) fail(problems.join('\n'))
  if (faults.length === 0) fail(`no fault has a name with: ${words.join(', ')}`)
  await setUp(['tests'])
  copyTree()
  say(`\ncore: ${faults.length} faults`)
  const limit = await testUnchanged()
  const survivors = []
  for (const fault of faults) if (!(await tryFault(fault, limit))) survivors.push(fault.name)
  if (survivors.length > 0) say(['\nNo test found:', ...survivors].join('\n  '))
  return { passed: faults.length - survivors.length, failed: survivors.length }
}
