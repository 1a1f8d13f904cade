/** Repeats failed tests, each alone: a test that passes then is unstable. */
import { say } from './step.mjs'

/** More failures are no accident. */
const MOST = 10

/**
 * Repeats the failed tests that may be repeated, and counts those that pass now as passed.
 *
 * @param {import('./counts.mjs').Count} total
 * @returns {Promise<{ passed: number, failed: number, unstable: string[] }>} with the names of the unstable tests
 */
export async function repeatFailed({ passed, failed, failures = [] }) {
  const unstable = []
  if (failures.length > MOST) say(`\n${failures.length} tests failed: too many to be run once more`)
  for (const { name, passesAlone } of failures.length > MOST ? [] : failures) {
    say(`\nonce more, alone: ${name}`)
    if (await passesAlone()) unstable.push(name)
  }
  return { passed: passed + unstable.length, failed: failed - unstable.length, unstable }
}
