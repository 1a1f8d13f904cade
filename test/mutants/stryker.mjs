/** Stryker, its options, and the tests of lib that it runs. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { installed } from '../../.tooling/runtimes.mjs'
import { root } from '../../.tooling/step.mjs'

const VERSION = '10.0.0'
/** Stryker needs Node 22 or later. */
export const NODE_LINE = 24
export const HOME = join(root, 'build/stryker')
const packages = join(HOME, 'node_modules/@stryker-mutator')

export const COMMAND = join(packages, 'core/bin/stryker.js')
export const RUNNER = pathToFileURL(join(packages, 'jest-runner/dist/src/jest-test-runner.js')).href
export const TESTS_BY_FILE = join(HOME, 'tests.json')
export const REPORT = join(HOME, 'report.json')

/** The tests of a part of lib, if the contract is not the part's best test. */
const TESTS = {
  'lib/map/': ['test/contract/timeout-map*.test.ts'],
  'lib/page/': ['test/page/**/*.test.ts', 'test/lib/order-numbers.test.ts'],
  'lib/top/': ['test/lib/top*.test.ts'],
  'lib/workerd/': ['test/page/workerd/*.test.ts'],
}
const OTHER_TESTS = ['test/{contract,lib}/*.test.ts']
/** Tests that load dist/ as a page does. */
const OMITTED = ['/test/page/built/']

/** @param {string} file of lib @returns {string[]} the patterns of its tests */
const testsOf = (file) => TESTS[Object.keys(TESTS).find((part) => file.startsWith(part)) ?? ''] ?? OTHER_TESTS

/** @param {string[]} mutate files of lib */
export const optionsOf = (mutate) => ({
  mutate,
  inPlace: true,
  tempDirName: 'build/stryker',
  symlinkNodeModules: false,
  ignorePatterns: ['bench', 'native', 'wasm', 'prebuilds', 'build'],
  buildCommand: 'node .tooling/build.mjs --only=lib',
  plugins: [join(root, 'test/mutants/focused-jest.mjs')],
  testRunner: 'focused-jest',
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      testMatch: [...new Set(mutate.flatMap(testsOf))].map((pattern) => `<rootDir>/${pattern}`),
      testPathIgnorePatterns: OMITTED,
      // It builds the virtual clock, which these tests do not need.
      globalSetup: null,
      // Stryker learns the tests of a change only from Jest's own runner.
      testRunner: 'jest-circus/runner',
    },
  },
  coverageAnalysis: 'perTest',
  concurrency: 1,
  dryRunTimeoutMinutes: 30,
  disableTypeChecks: true,
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, skipFull: true },
  jsonReporter: { fileName: REPORT },
  incremental: true,
  incrementalFile: join(HOME, 'incremental.json'),
  allowConsoleColors: false,
  // Those of the runner of Jest.
  warnings: { unknownOptions: false },
  allowEmpty: true,
})

/** Installs Stryker when it is first used: with all that it needs, it is larger than the tools of the project. */
export async function install() {
  const names = ['core', 'jest-runner'].map((name) => `@stryker-mutator/${name}@${VERSION}`)
  await installed('stryker', ...names)
}
