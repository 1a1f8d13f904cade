/**
 * node fine-chain.mjs <native | nanotimer | addon | wasm>: sets each timer in the callback of the one before, 0.25 ms later, or 1 ms
 * for native timers. Sends the best of five runs: lateness, rate and CPU time.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../runner/statistics.mjs'
import { watchProgress } from './message.mjs'

const [, , contender] = process.argv
const period = contender === 'native' ? 1 : 0.25
/** Milliseconds of a run, and of its start that are not counted, because the engine compiles code. */
const length = 1_500
const warmUp = 500
const runs = 5

/** @returns {Promise<(callback: () => void) => void>} */
async function loadTimer() {
  if (contender === 'native') return (callback) => void setTimeout(callback, period)
  if (contender === 'nanotimer') {
    const { default: NanoTimer } = await import('nanotimer')
    return (callback) => new NanoTimer().setTimeout(callback, '', '250u')
  }
  const { TimerWheel } = await import(contender === 'addon' ? 'timeout-wheel/native' : 'timeout-wheel/wasm')
  const wheel = new TimerWheel({ tick: 0.05 })
  return (callback) => wheel.schedule(callback, period)
}

const set = await loadTimer()
process.channel?.ref()
let links = 0
watchProgress(() => links)

/** @returns {Promise<{ lateness: Float64Array, chain: number, cpu: number }>} */
function measure() {
  const lateness = new Float64Array(Math.ceil((length - warmUp) / period) + 1)
  const start = performance.now()
  let counted = 0
  let from = 0
  /** @type {NodeJS.CpuUsage} */
  let before
  let due = 0
  return new Promise((resolve) => {
    const next = () => {
      const now = performance.now()
      links++
      if (now - start >= length) {
        const { user, system } = process.cpuUsage(before)
        const passed = now - from
        return resolve({
          lateness: lateness.slice(0, counted).sort(),
          chain: passed / (counted + 1),
          cpu: (user + system) / 10 / passed,
        })
      }
      if (now - start >= warmUp) {
        if (from === 0) {
          from = now
          before = process.cpuUsage()
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
const best = results
  .map(({ lateness, ...rest }) => ({
    late99: quantile(lateness, 0.99),
    late50: quantile(lateness, 0.5),
    ...rest,
  }))
  .sort((a, b) => a.late99 - b.late99)[0]
process.send?.({ ...best, earliest: Math.min(...results.map(({ lateness }) => lateness[0])) })
process.disconnect?.()
process.exit()
