import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { formatCount } from '../report/format.mjs'
import { atMost } from '../runner/bars.mjs'
import { signal, watchProgress } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const rate = 10_000
const seconds = 3
const barsOf = (api) => [
  atMost(0.7, `lateness at 10,000 timers a second, p50: ${api}`, 'late50', `addon-${api}`),
  atMost(2, `lateness at 10,000 timers a second, p99: ${api}`, 'late99', `addon-${api}`),
]

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
  bars: ['handles', 'numbers'].flatMap(barsOf),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  turns: 7,
  fewer: true,
  measure: (call) => call('measureLateness'),
}

const longest = 1_000
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
  const delays = Uint32Array.from({ length: count }, () => 1 + Math.floor(random() * longest))
  const due = new Float64Array(count)
  const lateness = new Float64Array(count)
  const { finish, finished } = signal()
  let left = count
  watchProgress(() => left)
  const onTimeout = (i) => {
    lateness[i] = performance.now() - due[i]
    if (--left === 0) finish()
  }

  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(arrivals)}`))
  await once(worker, 'message')
  const start = performance.now()
  for (let set = 0; set < count; ) {
    const until = Math.min(count, Math.floor(((performance.now() - start) * rate) / 1000))
    for (; set < until; set++) {
      due[set] = performance.now() + delays[set]
      timers.setWith(onTimeout, delays[set], set)
    }
    await once(worker, 'message')
  }
  await finished
  await worker.terminate()

  const late = lateness.slice((warmUp * rate) / 1000).sort()
  return { late99: quantile(late, 0.99), late50: quantile(late, 0.5) }
}
