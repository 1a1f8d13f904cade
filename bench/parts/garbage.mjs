import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { atLeastTimes } from '../runner/bars.mjs'
import { collectGarbage, cpuTime, HOUR, nothing, setPending } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

const rate = 200_000
const seconds = 10
const bar = (value, work, row) =>
  atLeastTimes(value, `garbage: pauses in 10 s of churn, ${work}`, 'pause', row)

export default {
  name: 'garbage',
  title: ({ timers }) => `Garbage collection while ${formatCount(timers)} pending churn for ${seconds} s`,
  note: ({ timers }) =>
    `${formatCount(timers)} timers of one delay are pending. ${formatCount(rate)} random timers a second are cleared and replaced, the ` +
    'same number for each contender. Pauses: the sum of the pauses of V8, as a PerformanceObserver reports them. CPU: the whole ' +
    'process, with the threads that collect garbage.',
  metrics: [
    { key: 'pause', label: 'pauses', unit: 'ms', digits: 1 },
    { key: 'cpu', label: 'CPU', unit: 'ms' },
  ],
  bars: [bar(3, 'handles with async context', 'addon-handles'), bar(10, 'numbers', 'addon-numbers')],
  takes: ({ id }) => id !== 'wasm-handlesWithoutContext',
  turns: 7,
  fewer: 2,
  measure: (call, { timers }) => call('churn', { count: timers }),
}

export async function churn(timers, { count }) {
  const pending = await setPending(timers, count, () => HOUR)
  const order = shuffledIndices(count, randomNumbers(5))
  let replaced = 0

  const replaceUntil = (until) => {
    for (; replaced < until; replaced++) {
      const chosen = order[replaced % count]
      timers.clear(pending[chosen])
      pending[chosen] = timers.set(nothing, HOUR)
    }
  }

  collectGarbage()
  await nextTurn()
  let pause = 0
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pause += duration
  })
  observer.observe({ entryTypes: ['gc'] })
  const start = performance.now()
  const cpuStart = cpuTime()
  for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - start) {
    replaceUntil(Math.floor((elapsed * rate) / 1000))
    await sleep(2)
  }
  const cpu = (cpuTime() - cpuStart) / 1000
  await nextTurn() // the last entries arrive in another task
  observer.disconnect()
  return { pause, cpu }
}
