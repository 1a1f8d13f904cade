/**
 * Stryker's runner of Jest, which loads all test files for each mutant and runs them to their end. This one loads only the files whose
 * tests reach the mutant, the quickest first, and ends with the first that fails.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { RUNNER, TESTS_BY_FILE } from './stryker.mjs'

const { createJestTestRunnerFactory } = await import(RUNNER)

/** @typedef {{ file: string, names: string[], milliseconds: number }} TestFile */

/** @returns {TestFile[]} the quickest first */
const groupByFile = (tests) =>
  Array.from(
    Map.groupBy(tests, ({ fileName }) => fileName),
    ([file, all]) => ({
      file,
      names: all.map(({ id }) => id),
      milliseconds: all.reduce((sum, { timeSpentMs }) => sum + timeSpentMs, 0),
    }),
  ).sort((a, b) => a.milliseconds - b.milliseconds)

function focusedJest(injector) {
  const runner = createJestTestRunnerFactory()(injector)
  const { dryRun, mutantRun, run } = Object.getPrototypeOf(runner)
  let testFiles
  return Object.assign(runner, {
    run: (settings) => run.call(runner, { ...settings, ...(testFiles && { testFiles }) }),
    async dryRun(options) {
      testFiles = undefined
      const result = await dryRun.call(runner, options)
      // For the processes that replace this one after a mutant without an end.
      if (result.status === 'complete')
        writeFileSync(TESTS_BY_FILE, JSON.stringify(groupByFile(result.tests)))
      return result
    },
    async mutantRun(options) {
      const wanted = options.testFilter && new Set(options.testFilter)
      let nrOfTests = 0
      for (const { file, names } of JSON.parse(readFileSync(TESTS_BY_FILE, 'utf8'))) {
        const testFilter = wanted ? names.filter((name) => wanted.has(name)) : undefined
        if (testFilter?.length === 0) continue
        testFiles = [file]
        const result = await mutantRun.call(runner, { ...options, testFilter })
        if (result.status !== 'survived') return result
        nrOfTests += result.nrOfTests
      }
      return { status: 'survived', nrOfTests }
    },
  })
}
focusedJest.inject = ['$injector']

export const strykerPlugins = [{ kind: 'TestRunner', name: 'focused-jest', factory: focusedJest }]
