/** Runs the tests of the core. GoogleTest runs them in one process. */
import { mkdirSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { countOf, runTests, sum } from './counts.mjs'
import { setUp } from './setup.mjs'
import { filesUnder, mustRun, root, run, say } from './step.mjs'

/** Runs a program of GoogleTest, whose `tests` includes the disabled ones. The report is the same natively and under Node. */
function runGoogleTest(name, command, env) {
  const brief = [...command, '--gtest_brief=1']
  return runTests(name, brief, '--gtest_output=json:', env, ({ tests, failures, disabled, errors }) => ({
    passed: tests - failures - disabled - errors,
    failed: failures + errors,
  }))
}

/** @param {{ under?: string[], env?: NodeJS.ProcessEnv }} how `under`: a program that runs them */
export async function runCore(name, preset, { under = [], env = {} } = {}) {
  say(`\n${name}: building`)
  await setUp(under)
  await cmakeBuild(preset)
  const program = join(root, 'build', preset, preset.endsWith('wasm') ? 'core_tests.cjs' : 'core_tests')
  return runGoogleTest(name, [...under, program], { UBSAN_OPTIONS: 'print_stacktrace=1', ...env })
}

/** Runs only the model test: one process per processor, each with its own seed. */
export async function runModel(name) {
  say(`\n${name}: building`)
  await cmakeBuild('core-tests-release', 'core_model')
  const names = Array.from({ length: availableParallelism() }, (_, i) => `${name}-${i}`)
  const env = {
    TIMEOUT_WHEEL_OPERATIONS: `${Math.ceil(1e8 / names.length)}`,
    // Even in the smallest wheel, one check of the invariants takes as long as twelve operations.
    TIMEOUT_WHEEL_CHECK_ONE_IN: '16',
  }
  const program = join(root, 'build/core-tests-release/core_model')
  return sum(...(await Promise.all(names.map((one) => runGoogleTest(one, [program], env)))))
}

/**
 * Fuzzes the core against its model for a minute, or as options of libFuzzer say, such as `-max_total_time=600`. Each run begins with the
 * programs in build/fuzz/found, and adds those that reach new code. With the path of a crash, runs its program alone.
 */
export async function fuzz(name, options) {
  say(`\n${name}: building`)
  await cmakeBuild('core-fuzz')
  const [found, crashes] = ['build/fuzz/found', 'build/fuzz/crashes']
  for (const folder of [found, crashes]) mkdirSync(join(root, folder), { recursive: true })
  const settings = [
    ...[`-artifact_prefix=${crashes}/`, '-verbosity=0', '-timeout=30', '-print_final_stats=1'],
    // Longer programs reach no more code. By default the fuzzer begins with short ones, and a minute ends before they grow.
    ...['-max_len=1024', '-len_control=0', '-max_total_time=60'],
  ]
  const isOne = options.some((word) => !word.startsWith('-'))
  const args = isOne ? options : [...settings, ...options, found]
  return countOf(await run(join(root, 'build/core-fuzz/core_fuzz'), args, { limit: 24 * 3_600_000 }))
}

/**
 * Measures how much of native/core the tests reach: outcomes of conditions and lines, file by file, with the lines that are missing. If no
 * test can reach a line, a comment on that line says why, after `Unreached:`. An unreached line without such a comment is a failed test.
 */
export async function coverage() {
  await cmakeBuild('core-tests-coverage')
  // Each run adds to the counts of the last one.
  const folder = 'build/core-tests-coverage'
  for (const file of filesUnder(folder)) if (file.endsWith('.gcda')) rmSync(file)
  await mustRun(join(root, folder, 'core_tests'), ['--gtest_brief=1'])
  const gcovr = ['--filter=native/core/', folder]
  await mustRun('gcovr', [...gcovr, '--branches', '--exclude-throw-branches'])
  const explained = '--exclude-lines-by-pattern=.*Unreached:.*'
  return countOf(await run('gcovr', [...gcovr, explained, '--fail-under-line=100']))
}
