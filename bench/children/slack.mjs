/**
 * node slack.mjs <native | addon | wasm> <slack in ms>: keeps timers of random delays pending, of which 10,000 run in a second.
 * Sends how often the main thread woke in a second, and the CPU time.
 */

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const [, , contender, slack] = process.argv
const perSecond = 10_000
const longest = 1_000
const seconds = 4
/** Seconds in which the engine compiles code, and the timers spread. */
const settling = 2
const random = randomNumbers(9)

/** @returns {Promise<(callback: (due: number) => void, delay: number, due: number) => void>} */
async function loadTimer() {
  if (contender === 'native') return (callback, delay, due) => void setTimeout(callback, delay, due)
  const { TimerWheel } = await import(contender === 'addon' ? 'timeout-wheel/native' : 'timeout-wheel/wasm')
  const wheel = new TimerWheel({ slack: Number(slack) })
  return (callback, delay, due) => wheel.schedule(callback, delay, due)
}

const set = await loadTimer()
/** @type {number[]} */
let lateness = []
let ran = 0

/** @param {number} due */
const run = (due) => {
  ran++
  lateness.push(performance.now() - due)
  start()
}
function start() {
  const delay = 1 + Math.floor(random() * longest)
  set(run, delay, performance.now() + delay)
}
/** The voluntary context switches of the main thread: its sleeps. */
const countSleeps = () =>
  Number(
    readFileSync(`/proc/${process.pid}/task/${process.pid}/status`, 'utf8').match(
      /^voluntary_ctxt_switches:\s*(\d+)/m,
    )?.[1],
  )

// Each timer lives for half of the longest delay, on average.
for (let n = 0; n < (perSecond * longest) / 2_000; n++) start()
await sleep(settling * 1_000)
const sleeps = countSleeps()
const cpu = process.cpuUsage()
const from = performance.now()
lateness = []
ran = 0
await sleep(seconds * 1_000)
const passed = (performance.now() - from) / 1_000
const { user, system } = process.cpuUsage(cpu)
const late = Float64Array.from(lateness).sort()
process.send?.({
  wakeUps: (countSleeps() - sleeps) / passed,
  cpu: (user + system) / 10_000 / passed,
  late50: quantile(late, 0.5),
  late99: quantile(late, 0.99),
  earliest: late[0],
  rate: ran / passed,
})
process.disconnect?.()
process.exit()
