/** The counts of the tests of a run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './step.mjs'

export const REPORTS = 'build/reports'

/**
 * @typedef {object} Failure a failed test that may be repeated
 * @property {string} name
 * @property {() => Promise<boolean>} passesAlone runs it once more, with nothing beside it
 *
 * @typedef {{ passed: number, failed: number, failures?: Failure[] }} Count
 */

/** @returns {Count} */
export const sum = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  failures: [...(a.failures ?? []), ...(b.failures ?? [])],
})

/**
 * Reads the report of a runner. If the runner fails without a failed test (after a crash, for example) or runs no test,
 * counts one failed test.
 *
 * @param {string} name
 * @param {number} code the exit code of the runner
 * @param {(report: any) => Count} read
 * @returns {Count}
 */
export function count(name, code, read) {
  let result = { passed: 0, failed: 0 }
  try {
    result = read(JSON.parse(readFileSync(join(root, REPORTS, `${name}.json`), 'utf8')))
  } catch (error) {
    process.stderr.write(`${name}: no report was written (${error.message})\n`)
  }
  const hasFailed = code !== 0 || result.passed === 0
  return { ...result, failed: result.failed || (hasFailed ? 1 : 0) }
}
