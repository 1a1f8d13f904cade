/** The suites of `npm test`: each builds what it tests, runs the tests and counts them. */
import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { tryMutants } from '../test/mutants/run.mjs'
import { buildAddonFor, CROSS_PLATFORMS, PLATFORMS } from './addon.mjs'
import { cmakeBuild } from './cmake.mjs'
import { coverage } from './coverage.mjs'
import { fuzz } from './fuzz.mjs'
import { NODE_LINES, nodeOfLine } from './nodes.mjs'
import { fileOfRuntime, RUNTIMES } from './runtimes.mjs'
import { preparePackage } from './sanitized.mjs'
import { setUp } from './setup.mjs'
import { localBin, mustRun, root, run, say } from './step.mjs'
import { writeTraces } from './traces.mjs'
import { buildVirtualClock } from './virtual-clock.mjs'

export const REPORTS = 'build/reports'
const MODEL_OPERATIONS = 1e8
/** Even in the smallest wheel, one check of the invariants takes as long as twelve operations. */
const MODEL_CHECK_ONE_IN = 16
/** Random programs of the suite `differential`, on each line of Node. */
const PROGRAMS = 100
/** Programs for each kind of interruption: on the ordinary addon, and on the addon under sanitizers. */
const INTERRUPTED = { plain: 12, sanitized: 4 }
const LOAD_SECONDS = 20
/** Milliseconds for one program that runs tests. */
const TESTS_LIMIT = 60 * 60_000

/** @typedef {{ passed: number, failed: number }} Count */

/** @returns {Count} */
export const sum = (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed })

/**
 * Reads the report of a runner. If the runner fails without a failed test (after a crash, for example) or runs no test,
 * counts one failed test.
 */
function count(name, code, read) {
  let result = { passed: 0, failed: 0 }
  try {
    result = read(JSON.parse(readFileSync(join(root, REPORTS, `${name}.json`), 'utf8')))
  } catch (error) {
    process.stderr.write(`${name}: no report was written (${error.message})\n`)
    if (code === 0) code = 1
  }
  if ((code !== 0 || result.passed === 0) && result.failed === 0) result.failed = 1
  return result
}

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
async function runCore(name, preset, { program: tests = 'core_tests', under = [], operations } = {}) {
  await setUp(['tests'])
  say(`\n${name}: building`)
  await cmakeBuild(preset)
  const binary = join(root, 'build', preset, preset.endsWith('wasm') ? `${tests}.cjs` : tests)
  const [program, ...args] = [...under, binary]
  const env = { UBSAN_OPTIONS: 'print_stacktrace=1' }
  if (operations !== undefined) env.TIMEOUT_WHEEL_OPERATIONS = `${operations}`
  return countCore(name, await run(program, [...args, ...optionsOf(name)], { env, limit: TESTS_LIMIT }))
}

async function runUnderValgrind(name) {
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
async function runModel(name) {
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

/** @param {{ node?: string, nodeOptions?: string[], env?: Record<string, string> }} how */
async function runJest(name, options, { node = process.execPath, nodeOptions = [], env = {} } = {}) {
  await mustRun(process.execPath, ['.tooling/build.mjs'])
  say(`\n${name}:`)
  const jest = [localBin('jest'), '--json']
  const report = join(root, REPORTS, `${name}.json`)
  rmSync(report, { force: true })
  const reporters = ['default', join(root, '.tooling/running.cjs')].map((one) => `--reporters=${one}`)
  const args = [...nodeOptions, ...jest, `--outputFile=${report}`, '--silent=false', ...reporters, ...options]
  const code = await run(node, args, { env, limit: TESTS_LIMIT })
  return count(name, code, ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) => ({
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
  }))
}

/**
 * Runs the addon under sanitizers inside Node, with and without WebAssembly. Without it, the memory shared with JavaScript
 * is a plain buffer, and AddressSanitizer watches both of its ends.
 *
 * @returns {Promise<Count>}
 */
async function runSanitized() {
  await setUp(['addon', 'sanitizers'])
  await mustRun(process.execPath, ['.tooling/build.mjs'])
  await buildVirtualClock()
  const { env, folder } = await preparePackage()
  const rootDir = `--rootDir=${folder}`
  const native = ['--testNamePattern=^native ', 'test/contract/']
  return [
    await runJest('js-asan', [rootDir, ...native], { env }),
    // Sanitizers keep freed memory, whose return test/node/trim measures.
    await runJest('js-asan-node', [rootDir, '--testPathIgnorePatterns=test/node/trim', 'test/node/'], {
      env,
    }),
    await runJest('js-asan-buffer', [rootDir, ...native], { env, nodeOptions: ['--no-expose-wasm'] }),
  ].reduce(sum)
}

/** @returns {Promise<Count>} */
async function runJavaScript(name) {
  await writeTraces()
  await buildVirtualClock()
  // Most tests wait for processes. By default, Jest leaves one core unused.
  return runJest(name, [
    '--maxWorkers=100%',
    '--testPathIgnorePatterns=/test/(figures|packed|prebuilt|release|runtimes)/',
    '/node_modules/',
  ])
}

/** @returns {Promise<Count>} */
async function runInterrupted(name) {
  const programs = (count) => ({ TIMEOUT_WHEEL_INTERRUPT_PROGRAMS: `${count}` })
  const plain = await runJest(name, ['test/interrupt/'], { env: programs(INTERRUPTED.plain) })
  await setUp(['addon', 'sanitizers'])
  const { env, folder } = await preparePackage()
  const options = [`--rootDir=${folder}`, '--testNamePattern=native, ', 'test/interrupt/']
  const sanitized = { ...env, ...programs(INTERRUPTED.sanitized) }
  return sum(plain, await runJest(`${name}-asan`, options, { env: sanitized }))
}

/**
 * @param {(line: number, node: string) => Promise<Count>} runLine
 * @returns {Promise<Count>}
 */
async function onNodes(runLine) {
  const counts = []
  for (const line of NODE_LINES) counts.push(await runLine(line, await nodeOfLine(line)))
  return counts.reduce(sum)
}

/** @returns {Promise<Count>} */
async function runOnRuntimes(name) {
  const files = {}
  for (const runtime of Object.keys(RUNTIMES)) files[runtime] = await fileOfRuntime(runtime)
  const env = { TIMEOUT_WHEEL_RUNTIMES: JSON.stringify(files) }
  return runJest(name, ['--runInBand', 'test/runtimes/'], { env })
}

/** @returns {Promise<Count>} */
async function runOnNodes() {
  await buildVirtualClock()
  return onNodes((line, node) =>
    runJest(`js-node-${line}`, ['test/contract/', 'test/node/', 'test/ecosystem/'], { node }),
  )
}

/** @returns {Promise<Count>} */
async function runDifferential() {
  await buildVirtualClock()
  const env = { TIMEOUT_WHEEL_PROGRAMS: `${PROGRAMS}` }
  return onNodes((line, node) => runJest(`differential-node-${line}`, ['test/differential/'], { node, env }))
}

/** @param {string} runs the platforms, each with `:` and specifications of the contract, or with all. @returns {Promise<Count>} */
async function runPrebuilt(name, runs) {
  const platforms = runs.split(' ').map((one) => one.split(':')[0])
  for (const platform of platforms) {
    await setUp([`run-${platform}`])
    await buildAddonFor(platform)
  }
  const options = ['--runInBand', 'test/prebuilt/']
  return runJest(name, options, { env: { TIMEOUT_WHEEL_PREBUILT: runs } })
}

/** @returns {Promise<Count>} */
async function runRelease(name) {
  for (const platform of PLATFORMS) await buildAddonFor(platform)
  return runJest(name, ['--runInBand', 'test/release/'])
}

/** @returns {Promise<Count>} */
async function runInBrowser(name, engine) {
  await setUp([engine])
  // Puppeteer consists of ES modules. Jest loads those only with this option.
  const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const options = ['--config=test/browser/jest.config.mjs', '--runInBand']
  return runJest(name, options, { nodeOptions, env: { TIMEOUT_WHEEL_ENGINE: engine } })
}

/**
 * @typedef {object} Suite
 * @property {string} about one line for the usage
 * @property {(name: string, options: string[]) => Count | Promise<Count>} run
 * @property {boolean} [isDefault] runs if no suite is named
 * @property {boolean} [takesOptions] the words after its name are its options
 * @property {boolean} [testsTheTests] does not belong to test:all
 */

/** @type {Record<string, Suite>} */
export const SUITES = {
  core: {
    about: "the core's GoogleTests",
    run: (name) => runCore(name, 'core-tests'),
    isDefault: true,
  },
  'core-wasm': {
    about: 'the same tests compiled to WebAssembly, under Node',
    // Programs of Emscripten do not see the environment, so they run all operations. Replay a failure natively.
    run: (name) => runCore(name, 'core-tests-wasm', { under: [process.execPath] }),
    isDefault: true,
  },
  'core-asan': {
    about: 'the same tests under AddressSanitizer and UndefinedBehaviorSanitizer',
    run: (name) => runCore(name, 'core-tests-asan', { operations: 200_000 }),
  },
  'core-valgrind': { about: 'the same tests under Valgrind', run: runUnderValgrind },
  'core-model': { about: "the core's model test with 10^8 operations", run: runModel },
  fuzz: {
    about: 'a minute of fuzzing [--seconds=N | --replay=FILE | --keep]',
    run: (_name, options) => fuzz(options),
    takesOptions: true,
  },
  designs: {
    about: 'the other timer designs that bench/core compares with the core',
    run: (name) => runCore(name, 'core-tests', { program: 'design_tests' }),
    isDefault: true,
  },
  'designs-asan': {
    about: 'the same designs under sanitizers',
    run: (name) => runCore(name, 'core-tests-asan', { program: 'design_tests' }),
  },
  js: { about: 'Jest on the built package', run: runJavaScript, isDefault: true },
  interrupt: {
    about: 'programs whose operations are interrupted, also with the addon under sanitizers',
    run: runInterrupted,
  },
  'js-load': {
    about: `a server under load for ${LOAD_SECONDS} s`,
    run: (name) => runJest(name, ['test/load/'], { env: { TIMEOUT_WHEEL_LOAD_SECONDS: `${LOAD_SECONDS}` } }),
  },
  'js-asan': { about: 'Jest with the addon under sanitizers', run: runSanitized },
  'js-nodes': { about: 'Jest on each supported line of Node', run: runOnNodes },
  differential: {
    about: `${PROGRAMS} random programs on Node's timers and on ours, on each line of Node`,
    run: runDifferential,
  },
  figures: {
    about: 'the figures of README come from the code that is there',
    run: (name) => runJest(name, ['test/figures/']),
  },
  packed: {
    about: 'Jest on the packed tarball',
    run: (name) => runJest(name, ['--runInBand', 'test/packed/']),
    isDefault: true,
  },
  runtimes: {
    about: 'Jest on the packed tarball in Bun, Deno and an edge host',
    run: runOnRuntimes,
    isDefault: true,
  },
  prebuilt: {
    about: 'a part of the contract on the addon for Linux on arm64, in QEMU',
    run: (name) => runPrebuilt(name, 'linux-arm64:timeout'),
    isDefault: true,
  },
  'prebuilt-all': {
    about: 'the contract on the addons for Linux on arm64, in QEMU, and for Windows, in Wine',
    run: (name) => runPrebuilt(name, CROSS_PLATFORMS.join(' ')),
  },
  release: {
    about: 'the tarball of npm pack, and each addon built again in another folder, which must be the same',
    run: runRelease,
  },
  'browser-chromium': {
    about: 'Jest drives Chromium',
    run: (name) => runInBrowser(name, 'chromium'),
    isDefault: true,
  },
  'browser-firefox': { about: 'Jest drives Firefox', run: (name) => runInBrowser(name, 'firefox') },
  'browser-webkit': { about: 'Jest drives WebKitGTK', run: (name) => runInBrowser(name, 'webkit') },
  mutants: {
    about: 'each of many faults must fail a test [--check] [--only=core|lib|page] [part of a name ...]',
    run: (_name, options) => tryMutants(options),
    takesOptions: true,
    testsTheTests: true,
  },
  coverage: {
    about: "the lines and conditions of native/core that the core's tests reach",
    run: (_name, options) => coverage(options),
    takesOptions: true,
    testsTheTests: true,
  },
}
