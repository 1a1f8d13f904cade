/**
 * Puts one fault after the other into a copy of the tree, and runs the tests there. At least one test must fail for each
 * mutant. A mutant that survives shows a behaviour that no test checks. The run also fails if a mutant does not build, or
 * if its source text no longer exists.
 *
 *   npm test -- mutants [--only=core|lib|page] [part of a name ...]
 *   npm test -- mutants --check            checks only that each source text exists
 *   node test/mutants/run.mjs --check      the same, without output if all of them do
 */
import { performance } from 'node:perf_hooks'
import { pathToFileURL } from 'node:url'
import { fail, root, say } from '../../.tooling/step.mjs'
import { coreMutants } from './core-mutants.mjs'
import { libMutants } from './lib-mutants.mjs'
import { misfits, withMutant } from './mutant.mjs'
import { pageMutants } from './page-mutants.mjs'
import { copyTree, core, lib, page, tree } from './workspace.mjs'

/** A test run is endless if it takes this many times as long as without a fault, and at least `LEAST_SECONDS`. */
const PATIENCE = 3
const LEAST_SECONDS = 30
const USAGE = 'usage: npm test -- mutants [--check] [--only=core|lib|page] [part of a name ...]'

const parts = [
  { name: 'core', part: core, mutants: coreMutants },
  { name: 'lib', part: lib, mutants: libMutants },
  { name: 'page', part: page, mutants: pageMutants },
]

const secondsSince = (start) => (performance.now() - start) / 1000

/** Builds and tests the part without a fault. Returns the time limit, in seconds, of its runs with a fault. */
async function testUnchanged(name, part) {
  const problem = await part.build()
  if (problem !== '') fail(`${name}: the copy does not build without a fault:\n${problem}`)
  const start = performance.now()
  const failed = (await part.testSources(undefined, 600)) ?? (await part.test(undefined, 600))
  if (failed !== undefined) fail(`${name}: the tests fail without a mutant: ${failed}`)
  return Math.max(LEAST_SECONDS, Math.ceil(PATIENCE * secondsSince(start)))
}

/** @returns {Promise<boolean>} whether a test failed */
async function tryMutant(part, mutant, limit) {
  const start = performance.now()
  const outcome = await withMutant(tree, mutant, async () => {
    const failed = await part.testSources(mutant.tests, limit)
    if (failed !== undefined) return { failed }
    const problem = await part.build()
    return problem === '' ? { failed: await part.test(mutant.tests, limit) } : { problem }
  })
  const verdict = outcome.problem
    ? `DOES NOT BUILD\n${outcome.problem}`
    : (outcome.failed ?? 'SURVIVED: no test failed')
  say(`${secondsSince(start).toFixed(1).padStart(6)} s  ${mutant.name.padEnd(72)}  ${verdict}`)
  return outcome.failed !== undefined
}

/** Ends the process if a mutant does not fit its source. */
function checkTexts() {
  const problems = parts.flatMap(({ mutants }) => misfits(root, mutants))
  if (problems.length > 0) fail(`Mutants that do not fit their sources:\n${problems.join('\n')}`)
}

/** @returns {Promise<{ passed: number, failed: number }>} mutants that failed a test, and mutants that survived */
async function tryAll(only, wanted) {
  await copyTree()
  const survivors = []
  let tried = 0
  for (const { name, part, mutants } of parts) {
    const chosen = mutants.filter(
      (mutant) => wanted.length === 0 || wanted.some((text) => mutant.name.includes(text)),
    )
    if ((only !== undefined && only !== name) || chosen.length === 0) continue
    say(`\n${name}: ${chosen.length} mutants`)
    const limit = await testUnchanged(name, part)
    for (const mutant of chosen) if (!(await tryMutant(part, mutant, limit))) survivors.push(mutant.name)
    tried += chosen.length
  }
  if (tried === 0) fail('no mutant has such a name')
  say(`\n${tried - survivors.length} of ${tried} mutants failed a test`)
  if (survivors.length > 0) say(`Not caught:\n${survivors.join('\n')}`)
  return { passed: tried - survivors.length, failed: survivors.length }
}

/**
 * @param {string[]} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function tryMutants(options) {
  const wanted = options.filter((option) => !option.startsWith('--'))
  const flags = options.filter((option) => option.startsWith('--') && option !== '--check')
  const only = flags[0]?.match(/^--only=(.*)$/)?.[1]
  if (flags.length > 1 || (flags.length === 1 && !parts.some(({ name }) => name === only))) fail(USAGE)
  checkTexts()
  if (!options.includes('--check')) return tryAll(only, wanted)
  return { passed: parts.reduce((total, { mutants }) => total + mutants.length, 0), failed: 0 }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = (await tryMutants(process.argv.slice(2))).failed === 0 ? 0 : 1
}
