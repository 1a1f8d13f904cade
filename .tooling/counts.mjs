/** The counts of the tests of a run. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run } from './step.mjs'

export const REPORTS = 'build/reports'
/** Milliseconds for one program that runs tests. */
const LIMIT = 60 * 60_000

/**
 * @typedef {{ name: string, passesAlone: () => Promise<boolean> }} Failure a failed test that may run once more, with nothing beside it
 * @typedef {{ passed: number, failed: number, failures?: Failure[] }} Count
 */

/** The count of a program that is one test. @returns {Count} */
export const countOf = (exitCode) => (exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 })

/** @param {Count[]} counts @returns {Count} */
export const sum = (...counts) => ({
  passed: counts.reduce((total, { passed }) => total + passed, 0),
  failed: counts.reduce((total, { failed }) => total + failed, 0),
  failures: counts.flatMap(({ failures = [] }) => failures),
})

/**
 * Runs a program that writes a report of its tests: to the path that completes its last argument, `option`. If it fails without a failed
 * test (after a crash, for example) or runs no test, counts one failed test.
 *
 * @param {string[]} command @param {(report: any) => Count} read @returns {Promise<Count>}
 */
export async function runTests(name, [program, ...args], option, env, read) {
  const report = join(root, REPORTS, `${name}.json`)
  rmSync(report, { force: true })
  const code = await run(program, [...args, option + report], { env, limit: LIMIT })
  let result = { passed: 0, failed: 0 }
  try {
    result = read(JSON.parse(readFileSync(report, 'utf8')))
  } catch (error) {
    process.stderr.write(`${name}: no report was written (${error.message})\n`)
  }
  const hasFailed = code !== 0 || result.passed === 0
  return { ...result, failed: result.failed || (hasFailed ? 1 : 0) }
}
