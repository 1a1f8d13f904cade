/** Runs Jest, counts its tests, and repeats those that failed. */
import { relative } from 'node:path'
import { runTests } from './counts.mjs'
import { localBin, mustRun, root, say } from './step.mjs'

/**
 * What says in the messages of a failed test that a program crashed or hung, or that an assertion of the core or a sanitizer ended it.
 * Such a test is never repeated: no machine is busy enough to be the reason.
 */
const NO_ACCIDENT =
  /SIG(ABRT|SEGV|BUS|FPE|ILL|TRAP)|Assertion .* failed|Sanitizer|runtime error:|FATAL ERROR|did not end within|Exceeded timeout of/

/**
 * @typedef {{ node?: string, nodeOptions?: string[], options?: string[], env?: Record<string, string> }} How
 *   `node` runs Jest; `options` of Jest, which its tests need however they are selected
 */

/** Runs one test alone. A random test runs with the seed with which it failed. @returns {Promise<boolean>} whether it passed */
async function passesAlone(name, file, { fullName, failureMessages }, how) {
  // A random test prints it when it fails: in its title, or in the difference of two objects.
  const seed = /seed["=: ]+(\d+)/i.exec([...failureMessages, fullName].join('\n'))?.[1]
  const env = { ...how.env, ...(seed === undefined ? {} : { TIMEOUT_WHEEL_SEED: seed }) }
  const pattern = `--testNamePattern=^${fullName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`
  const selection = ['--runInBand', pattern, '--runTestsByPath', file]
  const { passed, failed } = await start(`${name}-again`, selection, { ...how, env })
  return passed > 0 && failed === 0
}

function start(name, selection, how) {
  const { node = process.execPath, nodeOptions = [], options = [], env } = how
  // Files come first: an option with several values takes the words that follow it, even after `=`.
  const isFile = (word) => !word.startsWith('-')
  const ordered = [...selection.filter(isFile), ...selection.filter((word) => !isFile(word)), ...options]
  const words = [node, ...nodeOptions, localBin('jest'), ...ordered, '--json', '--silent=false']
  const mayBeRepeated = ({ status, failureMessages }) =>
    status === 'failed' && !NO_ACCIDENT.test(failureMessages.join('\n'))
  return runTests(name, words, '--outputFile=', env, (report) => ({
    passed: report.numPassedTests,
    // A test file that could not be run, or whose process crashed, counts as one failed test.
    failed: report.numFailedTests + report.numRuntimeErrorTestSuites,
    failures: report.testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults.filter(mayBeRepeated).map((test) => ({
        name: `${name}: ${relative(root, file)}: ${test.fullName}`,
        passesAlone: () => passesAlone(name, file, test, how),
      })),
    ),
  }))
}

/** Builds the package, once for all suites of a run: nothing changes it meanwhile. */
let built
export const buildPackage = () => (built ??= mustRun(process.execPath, ['.tooling/build.mjs']))

/** @param {string[]} selection the files, and the options of Jest for this run alone @returns {Promise<import('./counts.mjs').Count>} */
export async function runJest(name, selection, how = {}) {
  await buildPackage()
  say(`\n${name}:`)
  return start(name, selection, how)
}
