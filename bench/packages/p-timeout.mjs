/** Promises with a time limit: p-timeout. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import pTimeout from 'p-timeout'

/** Callers that wait at the same time, and the number of calls of each. */
const callers = 1_000
const calls = 100
/** Milliseconds. No call takes as long. */
const limit = 30_000

/**
 * Calls that are answered in the next turn of the event loop.
 *
 * @param {(answer: Promise<void>) => Promise<void>} within  Adds the time limit.
 */
async function wait(within) {
  const call = async () => {
    for (let i = 0; i < calls; i++) await within(nextTurn())
  }
  await Promise.all(Array.from({ length: callers }, call))
}

async function withWithTimeout() {
  const { withTimeout } = await import('timeout-wheel')
  await wait((answer) => withTimeout(answer, limit))
}

export const timeLimits = {
  package: () => wait((answer) => pTimeout(answer, { milliseconds: limit })),
  own: withWithTimeout,
}
