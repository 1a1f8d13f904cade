/**
 * Builds and runs the tests, suite by suite, and ends with one line: `N passed, N failed`.
 *
 *   node .tooling/test.mjs [core] [core-wasm] [core-asan] [designs] [designs-asan] [js] [js-asan] [js-nodes] [package]
 *
 * core: the core's GoogleTests · core-wasm: the same tests compiled to WebAssembly, under Node · core-asan: the same under
 * sanitizers · designs, designs-asan: the designs that the core is compared with · js: Jest on the built package ·
 * js-asan: the same with the addon under sanitizers · js-nodes: the same on each supported line of Node · package: Jest on
 * the packed tarball
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cmakeBuild } from './cmake.mjs'
import { NODE_LINES, nodeOfLine } from './nodes.mjs'
import { preparePackage } from './sanitized.mjs'
import { setUp } from './setup.mjs'
import { fail, localBin, mustRun, root, run, say } from './step.mjs'

const REPORTS = 'build/reports'

/** @typedef {{ passed: number, failed: number }} Count */

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

/** GoogleTest's own counts. Its report is one JSON, natively and under Node alike. */
function runCore(name, preset, program = 'core_tests') {
  setUp(['tests'])
  say(`\n${name}: building`)
  cmakeBuild(preset)
  const report = join(root, REPORTS, `${name}.json`)
  const options = ['--gtest_brief=1', `--gtest_output=json:${report}`]
  const binary = join(root, 'build', preset, program)
  const code = preset.endsWith('wasm')
    ? run(process.execPath, [`${binary}.cjs`, ...options])
    : run(binary, options, { env: { UBSAN_OPTIONS: 'print_stacktrace=1' } })
  return count(name, code, ({ tests, failures, errors }) => ({
    passed: tests - failures - errors,
    failed: failures + errors,
  }))
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
  const { env, folder } = preparePackage()
  const rootDir = `--rootDir=${folder}`
  const native = ['--testNamePattern=^native ', 'test/contract/']
  return sum(
    runJest('js-asan', [rootDir, ...native], { env }),
    runJest('js-asan-node', [rootDir, 'test/node/'], { env }),
    runJest('js-asan-buffer', [rootDir, ...native], { env, nodeOptions: ['--no-expose-wasm'] }),
  )
}

/** @returns {Count} */
function runOnNodes() {
  return sum(
    ...NODE_LINES.map((line) =>
      runJest(`js-node-${line}`, ['test/contract/', 'test/node/'], { node: nodeOfLine(line) }),
    ),
  )
}

/** @param {Count[]} counts @returns {Count} */
function sum(...counts) {
  return {
    passed: counts.reduce((total, { passed }) => total + passed, 0),
    failed: counts.reduce((total, { failed }) => total + failed, 0),
  }
}

/** @type {Record<string, () => Count>} */
const suites = {
  core: () => runCore('core', 'core-tests'),
  'core-wasm': () => runCore('core-wasm', 'core-tests-wasm'),
  'core-asan': () => runCore('core-asan', 'core-tests-asan'),
  designs: () => runCore('designs', 'core-tests', 'design_tests'),
  'designs-asan': () => runCore('designs-asan', 'core-tests-asan', 'design_tests'),
  js: () => runJest('js', ['--testPathIgnorePatterns=/test/package/', '/node_modules/']),
  'js-asan': runSanitized,
  'js-nodes': runOnNodes,
  package: () => runJest('package', ['--runInBand', 'test/package/']),
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
const total = { passed: 0, failed: 0 }
for (const name of names) {
  rmSync(join(root, REPORTS, `${name}.json`), { force: true })
  const { passed, failed } = suites[name]()
  say(`${name}: ${passed} passed, ${failed} failed`)
  total.passed += passed
  total.failed += failed
}
say(`\n${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1
