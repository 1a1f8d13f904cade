import { setImmediate as nextTurn } from 'node:timers/promises'
import { atLeastTimes, builds } from '../runner/bars.mjs'
import { cpuOf, HOUR } from '../runner/inside.mjs'

const partOf = (work, native, ours, part) => ({
  ...part,
  file: 'deadlines',
  subjects: [
    { id: `native-${work}`, label: `native ${native}`, group: 'native', subject: 'global' },
    ...builds(work, ours),
  ],
  turns: { short: 3, full: 7 },
  measure: (call) => call('measureDeadlines', { work }),
})

const SIGNAL = 'a signal with a deadline, made and cleared'

export const signals = partOf('signal', 'AbortSignal.timeout', 'timeoutSignal', {
  name: 'signals',
  title: 'A signal with a deadline that is not reached',
  note:
    'CPU time of the process for each of 100,000 signals, turns of the event loop included. Ours are made and cleared. Native ones ' +
    'cannot be cleared, so they stay pending.',
  metrics: [{ key: 'signal', label: 'a signal', unit: 'ns' }],
  bars: [atLeastTimes({ to22: 2.5, from24: 10 }, SIGNAL, 'signal', 'addon-signal')],
})

export const withTimeout = partOf('wait', 'Promise.race', 'withTimeout', {
  name: 'with-timeout',
  title: 'A promise with a deadline that is not reached',
  note:
    'CPU time of the process for each of 100,000 waits for a promise that is fulfilled, 1,000 in a turn of the event loop. Native: ' +
    'Promise.race with a timer of setTimeout, which is cleared afterwards.',
  metrics: [{ key: 'wait', label: 'a wait', unit: 'ns' }],
})

const count = 100_000
const batch = 1_000
/** After fewer rounds, the optimizing compiler still works on the code of both: the first took 900 ns a signal, the fourth 170, the seventh 112. */
const settlingRounds = 8

async function race(delay) {
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

async function loadWorks(subject) {
  if (subject === 'global') return { signal: (delay) => void AbortSignal.timeout(delay), wait: race }
  const { timeoutSignal, withTimeout } = await import(subject)
  return {
    signal: (delay) => timeoutSignal(delay).clear(),
    wait: (delay) => withTimeout(Promise.resolve(), delay),
  }
}

export async function measureDeadlines(subject, { work }) {
  const run = (await loadWorks(subject))[work]

  const runAll = async (delay) => {
    for (let from = 0; from < count; from += batch) {
      const waits = Array.from({ length: batch }, () => run(delay))
      if (work === 'wait') await Promise.all(waits)
      await nextTurn()
    }
  }

  // Code is compiled meanwhile. The native signals of these rounds are aborted soon, so that they are not pending afterwards.
  for (let round = 0; round < settlingRounds; round++) {
    await runAll(1)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { [work]: await cpuOf(count, () => runAll(HOUR)) }
}
