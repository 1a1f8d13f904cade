/** Runs the tests of the core. GoogleTest runs them in one process. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { runTests, sum } from './counts.mjs'
import { setUp } from './setup.mjs'
import { root, say } from './step.mjs'

const MODEL_OPERATIONS = 1e8

/** Runs a program of GoogleTest, whose `tests` includes the disabled ones. The report is the same natively and under Node. */
function runGoogleTest(name, command, env) {
  const commandFor = (report) => [...command, '--gtest_brief=1', `--gtest_output=json:${report}`]
  return runTests(name, commandFor, env, ({ tests, failures, disabled, errors }) => ({
    passed: tests - failures - disabled - errors,
    failed: failures + errors,
  }))
}

/**
 * @param {{ designs?: boolean, under?: string[], operations?: number }} how `designs`: also the tests of the designs that bench/core
 *   compares with the core; `under`: a program that runs the tests, and its options; `operations`: a lower count for the model test,
 *   if the full count takes too long
 */
export async function runCore(name, preset, { designs = false, under = [], operations } = {}) {
  say(`\n${name}: building`)
  await cmakeBuild(preset)
  const env = { UBSAN_OPTIONS: 'print_stacktrace=1' }
  if (operations !== undefined) env.TIMEOUT_WHEEL_OPERATIONS = `${operations}`
  const runProgram = (report, program) =>
    runGoogleTest(report, [...under, join(root, 'build', preset, program)], env)
  const result = await runProgram(name, preset.endsWith('wasm') ? 'core_tests.cjs' : 'core_tests')
  return designs ? sum(result, await runProgram(`${name}-designs`, 'design_tests')) : result
}

export async function runUnderValgrind(name) {
  await setUp(['valgrind'])
  const under = 'valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=all'
  return runCore(name, 'core-tests', { under: under.split(' '), operations: 20_000 })
}

/** Runs only the model test: one process per processor, each with its own seed. */
export async function runModel(name) {
  say(`\n${name}: building`)
  await cmakeBuild('core-tests-release', 'core_model')
  const names = Array.from({ length: availableParallelism() }, (_, i) => `${name}-${i}`)
  const env = {
    TIMEOUT_WHEEL_OPERATIONS: `${Math.ceil(MODEL_OPERATIONS / names.length)}`,
    // Even in the smallest wheel, one check of the invariants takes as long as twelve operations.
    TIMEOUT_WHEEL_CHECK_ONE_IN: '16',
  }
  const program = join(root, 'build/core-tests-release/core_model')
  return (await Promise.all(names.map((one) => runGoogleTest(one, [program], env)))).reduce(sum)
}
