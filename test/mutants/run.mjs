/**
 * Applies one fault after the other to a copy of the tree, and sees whether the tests turn red. A mutant that survives
 * shows what no test looks at; so does one that does not build, or whose text is no longer there: all of them fail.
 *
 *   node test/mutants/run.mjs [--only=core|lib|page] [part of a name ...]
 *   node test/mutants/run.mjs --check      only that each text is still there
 */
import { performance } from 'node:perf_hooks'
import { fail, root, say } from '../../.tooling/step.mjs'
import { coreMutants } from './core-mutants.mjs'
import { libMutants } from './lib-mutants.mjs'
import { misfits, withMutant } from './mutant.mjs'
import { pageMutants } from './page-mutants.mjs'
import { copyTree, core, lib, page, tree } from './workspace.mjs'

/** A test run may take so many times what it takes without a fault, before it counts as endless, and no less than: */
const PATIENCE = 3
const LEAST_SECONDS = 30

const secondsSince = (start) => (performance.now() - start) / 1000

/** Builds and tests the part without a fault. Returns the limit of time for those with one. */
function testUnchanged(name, part) {
  const problem = part.build()
  if (problem !== '') fail(`${name}: the copy of the tree does not build:\n${problem}`)
  const start = performance.now()
  const failed = part.test(undefined, 600)
  if (failed !== undefined) fail(`${name}: the tests fail without a mutant: ${failed}`)
  return Math.max(LEAST_SECONDS, Math.ceil(PATIENCE * secondsSince(start)))
}

/** @returns {boolean} whether a test turned red */
function tryMutant(part, mutant, limit) {
  const start = performance.now()
  const outcome = withMutant(tree, mutant, () => {
    const problem = part.build()
    if (problem !== '') return { problem }
    return { failed: part.test(mutant.tests, limit) }
  })
  const verdict = outcome.problem
    ? `DOES NOT BUILD\n${outcome.problem}`
    : (outcome.failed ?? 'SURVIVED: no test turned red')
  say(`${secondsSince(start).toFixed(1).padStart(6)} s  ${mutant.name.padEnd(72)}  ${verdict}`)
  return outcome.failed !== undefined
}

const options = process.argv.slice(2)
const only = options.find((option) => option.startsWith('--only='))?.slice('--only='.length)
const wanted = options.filter((option) => !option.startsWith('--'))
const isWanted = ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part))
const parts = [
  { name: 'core', part: core, mutants: coreMutants },
  { name: 'lib', part: lib, mutants: libMutants },
  { name: 'page', part: page, mutants: pageMutants },
]
if (only !== undefined && !parts.some(({ name }) => name === only))
  fail('usage: node test/mutants/run.mjs [--check] [--only=core|lib|page] [part of a name ...]')

const problems = parts.flatMap(({ mutants }) => misfits(root, mutants))
if (problems.length > 0) fail(`Mutants that no longer fit:\n${problems.join('\n')}`)
if (options.includes('--check')) process.exit(0)
copyTree()

const survivors = []
let tried = 0
for (const { name, part, mutants } of parts) {
  const chosen = mutants.filter(isWanted)
  if ((only !== undefined && only !== name) || chosen.length === 0) continue
  say(`\n${name}: ${chosen.length} mutants`)
  const limit = testUnchanged(name, part)
  for (const mutant of chosen) if (!tryMutant(part, mutant, limit)) survivors.push(mutant.name)
  tried += chosen.length
}
say(`\n${tried - survivors.length} of ${tried} mutants turned a test red`)
if (tried === 0) fail('no mutant has such a name')
if (survivors.length > 0) fail(`Not caught:\n${survivors.join('\n')}`)
