import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { cpuTime } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

const rate = 200_000
const seconds = 10
const bar = (work, row, value) => ({
  work: `garbage: pauses in 10 s of churn, ${work}`,
  ...{ metric: 'pause', row, kind: 'times', value },
})

export default {
  name: 'garbage',
  title: ({ timers }) => `Garbage collection while ${formatCount(timers)} pending churn for ${seconds} s`,
  note: ({ timers }) =>
    `${formatCount(timers)} timers of one delay are pending. ${formatCount(rate)} random timers a second are cleared and replaced, the ` +
    'same number for each contender. Pauses: the sum of the pauses of V8, as a PerformanceObserver reports them. CPU: the whole ' +
    'process, with the threads that collect garbage.',
  metrics: [
    { key: 'pause', label: 'pauses', unit: 'ms', digits: 1 },
    { key: 'longest', label: 'longest', unit: 'ms', digits: 1 },
    { key: 'cpu', label: 'CPU', unit: 'ms' },
    { key: 'replaced', label: 'replaced', unit: '', isCost: false },
  ],
  bars: [bar('handles with async context', 'addon-handles', 3), bar('numbers', 'addon-numbers', 10)],
  takes: ({ id }) => id !== 'wasm-handlesWithoutContext',
  floors: ['resource'],
  turns: 7,
  fewer: 2,
  measure: (call, { timers }) => call('churn', { count: timers }),
}

/** Milliseconds: no timer fires. */
const delay = 3_600_000
const batch = 10_000
/** Milliseconds between two batches of replacements. */
const pause = 2
const nothing = () => {}

/** Replaces random pending timers at the rate, and returns the cost of garbage collection in that time. */
export async function churn(timers, { count }) {
  const pending = new Array(count)
  for (let i = 0; i < count; i++) {
    pending[i] = timers.set(nothing, delay)
    if (i % batch === 0) await nextTurn()
  }
  const order = shuffledIndices(count, randomNumbers(5))
  let replaced = 0

  const replaceUntil = (until) => {
    for (; replaced < until; replaced++) {
      const chosen = order[replaced % count]
      timers.clear(pending[chosen])
      pending[chosen] = timers.set(nothing, delay)
    }
  }

  collectGarbage()
  await nextTurn()
  const pauses = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pauses.push(duration)
  })
  observer.observe({ entryTypes: ['gc'] })
  const start = performance.now()
  const cpuStart = cpuTime()
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - start) {
    replaceUntil(Math.floor((elapsed * rate) / 1000))
    await sleep(pause)
  }
  const cpu = (cpuTime() - cpuStart) / 1000
  await nextTurn() // the last entries arrive in another task
  observer.disconnect()
  return {
    pause: pauses.reduce((sum, one) => sum + one, 0),
    longest: Math.max(0, ...pauses),
    cpu,
    replaced,
  }
}
