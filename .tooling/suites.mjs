/** The suites of `npm test`: each builds what it tests, runs the tests and counts them. */
import { tryMutants } from '../test/mutants/run.mjs'
import { buildAddonFor, CROSS_PLATFORMS, PLATFORMS } from './addon.mjs'
import { runCore, runModel, runUnderValgrind } from './core-tests.mjs'
import { sum } from './counts.mjs'
import { coverage } from './coverage.mjs'
import { fuzz } from './fuzz.mjs'
import { runJest } from './jest.mjs'
import { NODE_LINES, nodeOfLine } from './nodes.mjs'
import { fileOfRuntime, RUNTIMES } from './runtimes.mjs'
import { preparePackage } from './sanitized.mjs'
import { setUp } from './setup.mjs'
import { localBin, mustRun, run } from './step.mjs'
import { writeTraces } from './traces.mjs'
import { buildVirtualClock } from './virtual-clock.mjs'

/** Random programs of the suite `differential`, on each line of Node. */
const PROGRAMS = 100
/** Programs for each kind of interruption: on the ordinary addon, and on the addon under sanitizers. */
const INTERRUPTED = { plain: 12, sanitized: 4 }
const LOAD_SECONDS = 20
/** For suites that run tests of `js` elsewhere: they take the small numbers, also in test:all. See test/scale.ts. */
const SMALL = { TIMEOUT_WHEEL_SCALE: 'small' }

/** @typedef {import('./counts.mjs').Count} Count */

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
  const how = { env: { ...env, ...SMALL }, options: [`--rootDir=${folder}`] }
  const native = ['--testNamePattern=^native ', 'test/contract/']
  return [
    await runJest('js-asan', native, how),
    // Sanitizers keep freed memory, whose return test/node/trim measures.
    await runJest('js-asan-node', ['--testPathIgnorePatterns=test/node/trim', 'test/node/'], how),
    await runJest('js-asan-buffer', native, { ...how, nodeOptions: ['--no-expose-wasm'] }),
  ].reduce(sum)
}

/** @returns {Promise<Count>} */
async function runJavaScript(name) {
  await writeTraces()
  await buildVirtualClock()
  // Most tests wait for processes. By default, Jest leaves one core unused.
  return runJest(name, [
    '--maxWorkers=100%',
    '--testPathIgnorePatterns=/test/(figures|packed|page/contract|prebuilt|release|runtimes)\\b',
    '/node_modules/',
  ])
}

/** @returns {Promise<Count>} */
async function runInterrupted(name) {
  const programs = (count) => ({ TIMEOUT_WHEEL_INTERRUPT_PROGRAMS: `${count}` })
  const plain = await runJest(name, ['test/interrupt/'], { env: programs(INTERRUPTED.plain) })
  await setUp(['addon', 'sanitizers'])
  const { env, folder } = await preparePackage()
  const selection = ['--testNamePattern=native, ', 'test/interrupt/']
  const how = { env: { ...env, ...programs(INTERRUPTED.sanitized) }, options: [`--rootDir=${folder}`] }
  return sum(plain, await runJest(`${name}-asan`, selection, how))
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
    runJest(`js-node-${line}`, ['test/contract/', 'test/node/', 'test/ecosystem/'], { node, env: SMALL }),
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
  return runJest(name, options, { env: { ...SMALL, TIMEOUT_WHEEL_PREBUILT: runs } })
}

/** @returns {Promise<Count>} */
async function runRelease(name) {
  for (const platform of PLATFORMS) await buildAddonFor(platform)
  return runJest(name, ['--runInBand', 'test/release/'])
}

/**
 * The slow tests: bundlers, the demo page, and hidden pages, whose timers run once a second. The lengths of slices need an idle machine.
 */
const SLOW_IN_BROWSERS = '--testPathIgnorePatterns=/test/browser/(bundlers|burst|demo|hidden)'

/** @param {{ all: boolean }} how `all`: also the slow tests. @returns {Promise<Count>} */
async function runInBrowser(name, engine, { all }) {
  await setUp([engine])
  return runJest(name, ['--runInBand', ...(all ? [] : [SLOW_IN_BROWSERS])], {
    // Puppeteer consists of ES modules. Jest loads those only with this option.
    nodeOptions: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
    options: ['--config=test/browser/jest.config.mjs'],
    env: { ...SMALL, TIMEOUT_WHEEL_ENGINE: engine, TIMEOUT_WHEEL_CONTEXTS: all ? 'all' : '' },
  })
}

/** Compiles all TypeScript, as `npm run typecheck` does, and the programs of test/types. @returns {Promise<Count>} */
async function runTypes(name) {
  const code = await run(localBin('tsc'), ['--noEmit'])
  return sum({ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 }, await runJest(name, ['test/types/']))
}

/**
 * @typedef {object} Suite
 * @property {string} about one line for the usage
 * @property {(name: string, options: string[]) => Count | Promise<Count>} run
 * @property {boolean} [isDefault] runs if no suite is named
 * @property {boolean} [takesOptions] the words after its name are its options
 * @property {boolean} [testsTheTests] does not belong to test:all
 * @property {string} [within] the suite that runs its tests too, so that it does not belong to test:all
 * @property {number} [minutes] what it takes in test:all on two idle processors, to divide the suites into parts
 */

/** @type {Record<string, Suite>} */
export const SUITES = {
  core: {
    about: "the core's GoogleTests",
    run: (name) => runCore(name, 'core-tests'),
    isDefault: true,
    minutes: 1,
  },
  'core-wasm': {
    about: 'the same tests compiled to WebAssembly, under Node',
    run: (name) => runCore(name, 'core-tests-wasm', { under: [process.execPath] }),
    minutes: 2,
  },
  'core-asan': {
    about: 'the same tests under AddressSanitizer and UndefinedBehaviorSanitizer',
    run: (name) => runCore(name, 'core-tests-asan', { operations: 200_000 }),
    minutes: 2,
  },
  'core-valgrind': { about: 'the same tests under Valgrind', run: runUnderValgrind, minutes: 1 },
  'core-model': { about: "the core's model test with 10^8 operations", run: runModel, minutes: 3 },
  fuzz: {
    about: 'a minute of fuzzing [--seconds=N | --replay=FILE | --keep]',
    run: (_name, options) => fuzz(options),
    takesOptions: true,
    minutes: 2,
  },
  designs: {
    about: 'the other timer designs that bench/core compares with the core',
    run: (name) => runCore(name, 'core-tests', { program: 'design_tests' }),
    isDefault: true,
    minutes: 1,
  },
  'designs-asan': {
    about: 'the same designs under sanitizers',
    run: (name) => runCore(name, 'core-tests-asan', { program: 'design_tests' }),
    minutes: 1,
  },
  js: { about: 'Jest on the built package', run: runJavaScript, isDefault: true, minutes: 9 },
  contract: {
    about: 'the contract on both builds',
    run: (name) => runJest(name, ['--maxWorkers=100%', 'test/contract/']),
    within: 'js',
  },
  'page-contract': {
    about: 'the contract on the sources of pages, without a browser: Chromium runs it by default',
    // The timers that specifications leave behind would keep Node alive, as a page has nothing like unref().
    run: (name) => runJest(name, ['--forceExit', 'test/page/contract']),
    minutes: 2,
  },
  types: { about: 'the TypeScript compiler', run: runTypes, within: 'js' },
  interrupt: {
    about: 'programs whose operations are interrupted, also with the addon under sanitizers',
    run: runInterrupted,
    minutes: 4,
  },
  'js-load': {
    about: `a server under load for ${LOAD_SECONDS} s`,
    run: (name) => runJest(name, ['test/load/'], { env: { TIMEOUT_WHEEL_LOAD_SECONDS: `${LOAD_SECONDS}` } }),
    minutes: 0.5,
  },
  'js-asan': { about: 'Jest with the addon under sanitizers', run: runSanitized, minutes: 5 },
  'js-nodes': { about: 'Jest on each supported line of Node', run: runOnNodes, minutes: 7 },
  differential: {
    about: `${PROGRAMS} random programs on Node's timers and on ours, on each line of Node`,
    run: runDifferential,
    minutes: 3,
  },
  figures: {
    about: 'the figures of README come from the code that is there',
    run: (name) => runJest(name, ['test/figures/']),
    minutes: 0.1,
  },
  packed: {
    about: 'Jest on the packed tarball',
    run: (name) => runJest(name, ['--maxWorkers=2', 'test/packed/']),
    isDefault: true,
    minutes: 1,
  },
  runtimes: {
    about: 'Jest on the packed tarball in Bun, Deno and an edge host',
    run: runOnRuntimes,
    isDefault: true,
    minutes: 1,
  },
  prebuilt: {
    about: 'a part of the contract on the addon for Linux on arm64, in QEMU',
    run: (name) => runPrebuilt(name, 'linux-arm64:timeout'),
    isDefault: true,
    within: 'prebuilt-all',
  },
  'prebuilt-all': {
    about: 'the contract on the addons for Linux on arm64, in QEMU, and for Windows, in Wine',
    run: (name) => runPrebuilt(name, CROSS_PLATFORMS.join(' ')),
    minutes: 5,
  },
  release: {
    about: 'the tarball of npm pack, and each addon built again in another folder, which must be the same',
    run: runRelease,
    minutes: 2,
  },
  'browser-chromium': {
    about: 'Jest drives Chromium; in test:all also bundlers, slices, the demo and hidden pages',
    run: (name) => runInBrowser(name, 'chromium', { all: process.env.TIMEOUT_WHEEL_SCALE === 'large' }),
    isDefault: true,
    minutes: 3,
  },
  'browser-firefox': {
    about: 'Jest drives Firefox',
    run: (name) => runInBrowser(name, 'firefox', { all: true }),
    minutes: 2,
  },
  'browser-webkit': {
    about: 'Jest drives WebKitGTK',
    run: (name) => runInBrowser(name, 'webkit', { all: true }),
    minutes: 2,
  },
  mutants: {
    about: 'faults that tests must find [core [part of a name ...] | lib [--all | file ...]]',
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

/** Names for several suites. */
export const GROUPS = { quick: ['core', 'contract', 'types'] }
