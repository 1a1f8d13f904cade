import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatCount } from '../report/format.mjs'
import { atMost, forApis } from '../runner/bars.mjs'
import { countdown, takeLateness, watchProgress } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const rate = 10_000
const seconds = 3

export default {
  name: 'precision',
  title: `Precision: ${formatCount(rate)} timers a second on a quiet loop`,
  note:
    `Random delays of 1 to 1,000 ms for ${seconds} s, after a first second that is not counted. The timers are set when messages of ` +
    'another thread arrive at random moments, as requests do. Below zero is early: Node rounds down to the start of a millisecond.',
  metrics: [
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
  ],
  bars: forApis((api, row) => [
    atMost(0.7, `lateness at 10,000 timers a second, p50: ${api}`, 'late50', row),
    atMost(2, `lateness at 10,000 timers a second, p99: ${api}`, 'late99', row),
  ]),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  turns: 7,
  fewer: true,
  measure: (call) => call('measureLateness'),
}

/** Milliseconds whose timers are not counted, because the engine compiles code. */
const warmUp = 1_000

/** A thread that posts messages at random moments, at most two milliseconds apart, independent of the thread that receives them. */
const arrivals = `
  import { parentPort } from 'node:worker_threads'
  import { randomNumbers } from ${JSON.stringify(new URL('../runner/random.mjs', import.meta.url))}
  const random = randomNumbers(7)
  const never = new Int32Array(new SharedArrayBuffer(4))
  for (;;) {
    Atomics.wait(never, 0, 0, random() * 2)
    parentPort.postMessage(undefined)
  }`

export async function measureLateness(timers) {
  const random = randomNumbers(6)
  const count = rate * seconds + warmUp * (rate / 1000)
  const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * 1_000))
  const { ran, left, finished } = countdown(count)
  const { set, lateness } = takeLateness(timers, count, ran)
  watchProgress(left)

  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(arrivals)}`))
  await once(worker, 'message')
  const start = performance.now()
  for (let i = 0; i < count; ) {
    const until = Math.min(count, Math.floor(((performance.now() - start) * rate) / 1000))
    for (; i < until; i++) set(i, delays[i])
    await once(worker, 'message')
  }
  await finished
  await worker.terminate()

  const late = lateness.slice((warmUp * rate) / 1000).sort()
  return { late99: quantile(late, 0.99), late50: quantile(late, 0.5) }
}
