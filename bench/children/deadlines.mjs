/**
 * node deadlines.mjs <native | p-timeout | addon | wasm> <signal | wait>: sends the nanoseconds of CPU time for each of 100,000
 * signals or waits. A native signal stays pending, because it cannot be disposed of.
 */

import { setImmediate as nextTurn } from 'node:timers/promises'

const [, , contender, work] = process.argv
const count = 100_000
const batch = 1_000
/** After fewer rounds, the optimizing compiler still works on the code of both: the first took 900 ns a signal, the fourth 170, the seventh 112. */
const settlingRounds = 8
const hour = 3_600_000

/** @typedef {(delay: number) => void | Promise<unknown>} Work  What is done many times. */

/** @param {number} delay */
async function race(delay) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const timeout = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new DOMException('late', 'TimeoutError')), delay)
  })
  try {
    return await Promise.race([Promise.resolve(), timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** @returns {Promise<{ signal?: Work, wait: Work }>} */
async function loadWorks() {
  if (contender === 'native') {
    return { signal: (delay) => void AbortSignal.timeout(delay), wait: race }
  }
  if (contender === 'p-timeout') {
    const { default: pTimeout } = await import('p-timeout')
    return { wait: (milliseconds) => pTimeout(Promise.resolve(), { milliseconds }) }
  }
  const entry = contender === 'addon' ? 'timeout-wheel/native' : 'timeout-wheel/wasm'
  const { timeoutSignal, withTimeout } = await import(entry)
  return {
    signal: (delay) => timeoutSignal(delay).clear(),
    wait: (delay) => withTimeout(Promise.resolve(), delay),
  }
}

const works = await loadWorks()
const run = /** @type {Work} */ (works[/** @type {'signal' | 'wait'} */ (work)])

/** @param {number} delay */
async function runAll(delay) {
  for (let from = 0; from < count; from += batch) {
    const waits = []
    for (let i = 0; i < batch; i++) waits.push(run(delay))
    if (work === 'wait') await Promise.all(waits)
    await nextTurn()
  }
}

// Code is compiled meanwhile. The native signals of these rounds are aborted soon, so that they are not pending afterwards.
for (let round = 0; round < settlingRounds; round++) {
  await runAll(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
}

const before = process.cpuUsage()
await runAll(hour)
const { user, system } = process.cpuUsage(before)
process.send?.({ [/** @type {string} */ (work)]: ((user + system) * 1_000) / count })
process.exit()
