import { setTimeout as sleep } from 'node:timers/promises'
import { cpuTime, watchProgress } from '../runner/inside.mjs'
import { quantile } from '../runner/statistics.mjs'

const bar = (work, metric, value) => ({
  work: `a chain of 0.25 ms: ${work}`,
  ...{ metric, row: 'addon-chain', kind: 'most', value },
})

export default {
  name: 'fine-chain',
  title: 'A chain of timers of 0.25 ms',
  note:
    'Each timer is set in the callback of the one before, for a second; native timers of 1 ms, their shortest delay. Lateness is ' +
    'measured from a reading of the clock just before the timer was set: below zero is early. The best of five runs by its p99; the ' +
    'earliest of all runs. CPU time of the whole process, of one processor.',
  metrics: [
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 3 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 3 },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 3, isCost: false },
    { key: 'chain', label: 'period', unit: 'ms', digits: 3, isCost: false },
    { key: 'cpu', label: 'CPU', unit: '%', digits: 1, isCost: false },
  ],
  bars: [bar('lateness, p50', 'late50', 0.08), bar('lateness, p99', 'late99', 0.3)],
  subjects: [
    { id: 'native-chain', label: 'native setTimeout, 1 ms', group: 'native', subject: '' },
    { id: 'addon-chain', label: 'addon: ticks of 0.05 ms', group: 'addon', subject: 'timeout-wheel/native' },
    // Not wasm-chain: the host wakes it at whole milliseconds, so its lateness is not compared with the addon's.
    { id: 'host-chain', label: 'wasm: ticks of 0.05 ms', group: 'wasm', subject: 'timeout-wheel/wasm' },
  ],
  turns: 1,
  measure: (call) => call('measureChains'),
}

/** Milliseconds of a run, and of its start that are not counted, because the engine compiles code. */
const length = 1_500
const warmUp = 500
const runs = 5

async function loadTimer(subject, period) {
  if (subject === '') return (callback) => void setTimeout(callback, period)
  const { TimerWheel } = await import(subject)
  const wheel = new TimerWheel({ tick: 0.05 })
  return (callback) => wheel.schedule(callback, period)
}

/** Sets each timer in the callback of the one before, 0.25 ms later, or 1 ms for native timers. */
export async function measureChains(subject) {
  const period = subject === '' ? 1 : 0.25
  const set = await loadTimer(subject, period)
  let links = 0
  watchProgress(() => links)

  const measure = () => {
    const lateness = new Float64Array(Math.ceil((length - warmUp) / period) + 1)
    const start = performance.now()
    let counted = 0
    let from = 0
    let before = 0
    let due = 0
    return new Promise((resolve) => {
      const next = () => {
        const now = performance.now()
        links++
        if (now - start >= length) {
          const passed = now - from
          return resolve({
            lateness: lateness.slice(0, counted).sort(),
            chain: passed / (counted + 1),
            cpu: (cpuTime() - before) / 10 / passed,
          })
        }
        if (now - start >= warmUp) {
          if (from === 0) {
            from = now
            before = cpuTime()
          } else lateness[counted++] = now - due
        }
        due = performance.now() + period
        set(next)
      }
      due = performance.now() + period
      set(next)
    })
  }

  const results = []
  for (let run = 0; run < runs; run++) {
    results.push(await measure())
    await sleep(100)
  }
  const [best] = results
    .map(({ lateness, ...rest }) => ({
      late99: quantile(lateness, 0.99),
      late50: quantile(lateness, 0.5),
      ...rest,
    }))
    .sort((a, b) => a.late99 - b.late99)
  return { ...best, earliest: Math.min(...results.map(({ lateness }) => lateness[0])) }
}
