import { cpuTime } from '../runner/inside.mjs'
import { summarize } from '../runner/statistics.mjs'

const bar = { row: 'addon-handles', base: 'native', kind: 'times', value: 1.5 }

export default {
  name: 'promises',
  title: 'await setTimeout(ms) of timers/promises',
  note:
    'CPU time of the whole process for each wait, until the waiting function continues. 1,000 functions wait 40 times for 1 ms, ' +
    'without and with a signal; 100,000 functions wait at the same time for 20 ms, which is mostly garbage collection of promises. ' +
    'The promise and the function alone, without a timer, take about half of the native figure.',
  metrics: [
    { key: 'plain', label: 'await', unit: 'ns' },
    { key: 'signal', label: 'with a signal', unit: 'ns' },
    { key: 'atOnce', label: '100,000 at once', unit: 'ns' },
  ],
  bars: [
    { work: 'await setTimeout(ms) of timers/promises', metric: 'plain', ...bar },
    { work: 'await setTimeout(ms) of timers/promises, with a signal', metric: 'signal', ...bar },
  ],
  subjects: [
    { id: 'native', label: 'native setTimeout', group: 'native', subject: 'node:timers' },
    { id: 'addon-handles', label: 'addon: setTimeout', group: 'addon', subject: 'timeout-wheel/native' },
    { id: 'wasm-handles', label: 'wasm: setTimeout', group: 'wasm', subject: 'timeout-wheel/wasm' },
  ],
  turns: { short: 3, full: 7 },
  measure: (call) => call('measureWaits'),
}

/** Functions that wait at the same time, and the number of waits of each. */
const sleepers = 1_000
const waits = 40
/** Promises that are pending at the same time. */
const many = 100_000
/** Rounds that are not measured, because code is compiled in them, and rounds that are. */
const settling = 3
const rounds = 5

async function cpuOf(start) {
  const before = cpuTime()
  await Promise.all(start())
  return cpuTime() - before
}

/** `count` is the number of waits in a round. */
async function measure(count, prepare) {
  const samples = []
  for (let round = 0; round < settling + rounds; round++) {
    const cpu = await cpuOf(prepare())
    if (round >= settling) samples.push((cpu * 1000) / count)
  }
  return summarize(samples).median
}

/** CPU nanoseconds for each wait for a promise. */
export async function measureWaits(subject) {
  const { setTimeout } = (await import(subject)).promises
  const sleepInLoop = async () => {
    for (let i = 0; i < waits; i++) await setTimeout(1)
  }
  const sleepInLoopWith = async (signal) => {
    for (let i = 0; i < waits; i++) await setTimeout(1, undefined, { signal })
  }
  const sleepOnce = async (delay) => {
    await setTimeout(delay)
  }

  const plain = await measure(sleepers * waits, () => () => Array.from({ length: sleepers }, sleepInLoop))
  const signal = await measure(sleepers * waits, () => {
    const signals = Array.from({ length: sleepers }, () => new AbortController().signal)
    return () => signals.map(sleepInLoopWith)
  })
  const atOnce = await measure(many, () => () => Array.from({ length: many }, () => sleepOnce(20)))
  return { plain, signal, atOnce }
}
