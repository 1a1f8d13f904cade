/**
 * Builds and runs the tests, suite by suite, and ends with one line: `N passed, N failed`.
 *
 *   node .tooling/test.mjs <suite> ...
 *
 * core: the core's GoogleTests · core-wasm: the same tests compiled to WebAssembly, under Node · core-asan: the same under
 * sanitizers · core-valgrind: the same under Valgrind · core-model: its model test, 10^8 operations · core-fuzz: a minute
 * of fuzzing · designs, designs-asan: the designs that the core is compared with · js: Jest on the built package ·
 * interrupt: its programs whose operations are interrupted, many of them, the addon under sanitizers too ·
 * js-load: its test of a server under load, for longer · js-asan: the same with the addon under sanitizers · js-nodes: the
 * same on each supported line of Node · differential: hundreds of random programs on Node's timers and on ours, on each line
 * of Node · package: Jest on the packed tarball · browser-chromium, browser-firefox, browser-webkit: Jest driving a browser
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { fuzz } from './fuzz.mjs'
import { NODE_LINES, nodeOfLine } from './nodes.mjs'
import { preparePackage } from './sanitized.mjs'
import { setUp } from './setup.mjs'
import { fail, localBin, mustRun, root, run, runTogether, say } from './step.mjs'
import { writeTraces } from './traces.mjs'
import { buildVirtualClock } from './virtual-clock.mjs'

const REPORTS = 'build/reports'
const MODEL_OPERATIONS = 1e8
/** A check of the invariants takes as long as a dozen operations, in the smallest wheel. */
const MODEL_CHECK_ONE_IN = 16
/** Random programs on each line of Node. */
const PROGRAMS = 100
/** Programs of each kind of interruption, and so many with the addon under sanitizers. */
const INTERRUPTED = { plain: 12, sanitized: 4 }

/** @typedef {{ passed: number, failed: number }} Count */

/** @returns {Count} */
const sum = (a, b) => ({ passed: a.passed + b.passed, failed: a.failed + b.failed })

/** Reads a report that a runner wrote. A runner that failed without a failed test (a crash, say), or ran none, counts as one. */
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

/** GoogleTest's own counts; `tests` includes those disabled. Its report is one JSON, natively and under Node alike. */
function countCore(name, code) {
  return count(name, code, ({ tests, failures, disabled, errors }) => ({
    passed: tests - failures - disabled - errors,
    failed: failures + errors,
  }))
}

const optionsOf = (name) => ['--gtest_brief=1', `--gtest_output=json:${join(root, REPORTS, `${name}.json`)}`]

/**
 * @param {{ program?: string, under?: string[], operations?: number }} how `under`: a program that runs the tests, with its
 *   options; `operations` of the model test, where not all of them are affordable
 */
function runCore(name, preset, { program: tests = 'core_tests', under = [], operations } = {}) {
  setUp(['tests'])
  say(`\n${name}: building`)
  cmakeBuild(preset)
  const binary = join(root, 'build', preset, preset.endsWith('wasm') ? `${tests}.cjs` : tests)
  const [program, ...args] = [...under, binary]
  const env = { UBSAN_OPTIONS: 'print_stacktrace=1' }
  if (operations !== undefined) env.TIMEOUT_WHEEL_OPERATIONS = `${operations}`
  return countCore(name, run(program, [...args, ...optionsOf(name)], { env }))
}

function runUnderValgrind(name) {
  setUp(['valgrind'])
  const under = [
    'valgrind',
    '--quiet',
    '--error-exitcode=99',
    '--leak-check=full',
    '--errors-for-leak-kinds=all',
  ]
  return runCore(name, 'core-tests', { under, operations: 20_000 })
}

/** The model test alone, a process per processor, each from a seed of its own. */
async function runModel(name) {
  setUp(['tests'])
  say(`\n${name}: building`)
  cmakeBuild('core-tests-release', 'core_model')
  const names = Array.from({ length: availableParallelism() }, (_, i) => `${name}-${i}`)
  const env = {
    TIMEOUT_WHEEL_OPERATIONS: `${Math.ceil(MODEL_OPERATIONS / names.length)}`,
    TIMEOUT_WHEEL_CHECK_ONE_IN: `${MODEL_CHECK_ONE_IN}`,
  }
  const codes = await runTogether(
    join(root, 'build/core-tests-release/core_model'),
    names.map((one) => ({ args: optionsOf(one), env })),
  )
  return names.map((one, i) => countCore(one, codes[i])).reduce(sum)
}

/** @param {{ node?: string, nodeOptions?: string[], env?: Record<string, string> }} how */
function runJest(name, options, { node = process.execPath, nodeOptions = [], env = {} } = {}) {
  mustRun(process.execPath, ['.tooling/build.mjs'])
  say(`\n${name}:`)
  const jest = [localBin('jest'), '--json']
  const report = join(root, REPORTS, `${name}.json`)
  rmSync(report, { force: true })
  const code = run(node, [...nodeOptions, ...jest, `--outputFile=${report}`, '--silent=false', ...options], {
    env,
  })
  return count(name, code, ({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) => ({
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
  }))
}

/**
 * The addon under sanitizers inside Node. Once more without WebAssembly: then the memory that JavaScript shares is a plain
 * buffer, whose ends AddressSanitizer watches.
 *
 * @returns {Count}
 */
function runSanitized() {
  setUp(['addon', 'sanitizers'])
  mustRun(process.execPath, ['.tooling/build.mjs'])
  buildVirtualClock()
  const { env, folder } = preparePackage()
  const rootDir = `--rootDir=${folder}`
  const native = ['--testNamePattern=^native ', 'test/contract/']
  return [
    runJest('js-asan', [rootDir, ...native], { env }),
    runJest('js-asan-node', [rootDir, 'test/node/'], { env }),
    runJest('js-asan-buffer', [rootDir, ...native], { env, nodeOptions: ['--no-expose-wasm'] }),
  ].reduce(sum)
}

/** @returns {Count} */
function runInterrupted(name) {
  const programs = (count) => ({ TIMEOUT_WHEEL_INTERRUPT_PROGRAMS: `${count}` })
  const plain = runJest(name, ['test/interrupt/'], { env: programs(INTERRUPTED.plain) })
  setUp(['addon', 'sanitizers'])
  const { env, folder } = preparePackage()
  const options = [`--rootDir=${folder}`, '--testNamePattern=native, ', 'test/interrupt/']
  return sum(plain, runJest(`${name}-asan`, options, { env: { ...env, ...programs(INTERRUPTED.sanitized) } }))
}

/** @returns {Count} */
function runOnNodes() {
  buildVirtualClock()
  return NODE_LINES.map((line) =>
    runJest(`js-node-${line}`, ['test/contract/', 'test/node/', 'test/ecosystem/'], {
      node: nodeOfLine(line),
    }),
  ).reduce(sum)
}

/** @returns {Count} */
function runDifferential() {
  buildVirtualClock()
  const env = { TIMEOUT_WHEEL_PROGRAMS: `${PROGRAMS}` }
  return NODE_LINES.map((line) =>
    runJest(`differential-node-${line}`, ['test/differential/'], { node: nodeOfLine(line), env }),
  ).reduce(sum)
}

/** @returns {Count} */
function runInBrowser(name, engine) {
  setUp([engine])
  // Puppeteer is made of ES modules, which Jest takes with this option alone.
  const nodeOptions = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']
  const options = ['--config=test/browser/jest.config.mjs', '--runInBand']
  return runJest(name, options, { nodeOptions, env: { TIMEOUT_WHEEL_ENGINE: engine } })
}

/** @type {Record<string, (name: string) => Count | Promise<Count>>} */
const suites = {
  core: (name) => runCore(name, 'core-tests'),
  // Emscripten's programs see nothing of the environment: all operations, and a failure is replayed natively.
  'core-wasm': (name) => runCore(name, 'core-tests-wasm', { under: [process.execPath] }),
  'core-asan': (name) => runCore(name, 'core-tests-asan', { operations: 200_000 }),
  'core-valgrind': runUnderValgrind,
  'core-model': runModel,
  'core-fuzz': () => fuzz(),
  designs: (name) => runCore(name, 'core-tests', { program: 'design_tests' }),
  'designs-asan': (name) => runCore(name, 'core-tests-asan', { program: 'design_tests' }),
  js: (name) => {
    writeTraces()
    buildVirtualClock()
    return runJest(name, ['--testPathIgnorePatterns=/test/packed/', '/node_modules/'])
  },
  interrupt: runInterrupted,
  'js-load': (name) => runJest(name, ['test/load/'], { env: { TIMEOUT_WHEEL_LOAD_SECONDS: '20' } }),
  'js-asan': runSanitized,
  'js-nodes': runOnNodes,
  differential: runDifferential,
  package: (name) => runJest(name, ['--runInBand', 'test/packed/']),
  'browser-chromium': (name) => runInBrowser(name, 'chromium'),
  'browser-firefox': (name) => runInBrowser(name, 'firefox'),
  'browser-webkit': (name) => runInBrowser(name, 'webkit'),
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(suites, name))
if (names.length === 0 || unknown.length > 0) {
  fail(
    `usage: node .tooling/test.mjs ${Object.keys(suites)
      .map((name) => `[${name}]`)
      .join(' ')}`,
  )
}

mkdirSync(join(root, REPORTS), { recursive: true })
let total = { passed: 0, failed: 0 }
for (const name of names) {
  rmSync(join(root, REPORTS, `${name}.json`), { force: true })
  const result = await suites[name](name)
  say(`${name}: ${result.passed} passed, ${result.failed} failed`)
  total = sum(total, result)
}
say(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
