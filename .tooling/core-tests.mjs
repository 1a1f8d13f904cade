/** Builds and runs the tests of the core. GoogleTest runs them in one process. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { count, REPORTS, sum } from './counts.mjs'
import { setUp } from './setup.mjs'
import { root, run, say, TESTS_LIMIT } from './step.mjs'

const MODEL_OPERATIONS = 1e8
/** Even in the smallest wheel, one check of the invariants takes as long as twelve operations. */
const MODEL_CHECK_ONE_IN = 16

/**
 * Reads the counts of GoogleTest, whose `tests` includes the disabled ones. The report is the same natively and under
 * Node.
 */
function countCore(name, code) {
  return count(name, code, ({ tests, failures, disabled, errors }) => ({
    passed: tests - failures - disabled - errors,
    failed: failures + errors,
  }))
}

const optionsOf = (name) => ['--gtest_brief=1', `--gtest_output=json:${join(root, REPORTS, `${name}.json`)}`]

/**
 * @param {{ program?: string, under?: string[], operations?: number }} how `under`: a program that runs the tests, and its
 *   options; `operations`: a lower count for the model test, if the full count takes too long
 */
export async function runCore(name, preset, { program: tests = 'core_tests', under = [], operations } = {}) {
  await setUp(['tests'])
  say(`\n${name}: building`)
  await cmakeBuild(preset)
  const binary = join(root, 'build', preset, preset.endsWith('wasm') ? `${tests}.cjs` : tests)
  const [program, ...args] = [...under, binary]
  const env = { UBSAN_OPTIONS: 'print_stacktrace=1' }
  if (operations !== undefined) env.TIMEOUT_WHEEL_OPERATIONS = `${operations}`
  return countCore(name, await run(program, [...args, ...optionsOf(name)], { env, limit: TESTS_LIMIT }))
}

export async function runUnderValgrind(name) {
  await setUp(['valgrind'])
  const under = [
    'valgrind',
    '--quiet',
    '--error-exitcode=99',
    '--leak-check=full',
    '--errors-for-leak-kinds=all',
  ]
  return runCore(name, 'core-tests', { under, operations: 20_000 })
}

/** Runs only the model test: one process per processor, each with its own seed. */
export async function runModel(name) {
  await setUp(['tests'])
  say(`\n${name}: building`)
  await cmakeBuild('core-tests-release', 'core_model')
  const names = Array.from({ length: availableParallelism() }, (_, i) => `${name}-${i}`)
  const env = {
    TIMEOUT_WHEEL_OPERATIONS: `${Math.ceil(MODEL_OPERATIONS / names.length)}`,
    TIMEOUT_WHEEL_CHECK_ONE_IN: `${MODEL_CHECK_ONE_IN}`,
  }
  const program = join(root, 'build/core-tests-release/core_model')
  const codes = await Promise.all(
    names.map((one) => run(program, optionsOf(one), { env, limit: TESTS_LIMIT })),
  )
  return names.map((one, i) => countCore(one, codes[i])).reduce(sum)
}
