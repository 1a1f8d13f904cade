import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuTime } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const slack = 5
const backends = [
  ['addon', 'timeout-wheel/native'],
  ['wasm', 'timeout-wheel/wasm'],
]

export default {
  name: 'slack',
  title: 'Slack: 10,000 timers a second',
  note:
    'Random delays of 1 to 1,000 ms; each timer is set in the callback of another. Wake-ups are the voluntary context switches of ' +
    'the main thread, as Linux counts them. CPU time of the whole process, of one processor.',
  metrics: [
    { key: 'wakeUps', label: 'wake-ups a second', unit: '' },
    { key: 'cpu', label: 'CPU', unit: '%', digits: 1 },
    { key: 'late50', label: 'late p50', unit: 'ms', digits: 2 },
    { key: 'late99', label: 'late p99', unit: 'ms', digits: 2 },
    { key: 'earliest', label: 'earliest', unit: 'ms', digits: 2, isCost: false },
    { key: 'rate', label: 'timers a second', unit: '', isCost: false },
  ],
  bars: backends.map(([name]) => ({
    work: `10,000 timers a second, slack of 5 ms: wake-ups, ${name}`,
    ...{ metric: 'wakeUps', row: `${name}-slack`, base: `${name}-exact`, kind: 'times', value: 4 },
  })),
  needs: () =>
    existsSync('/proc/self/task') ? undefined : 'wake-ups are read from /proc, which exists only on Linux',
  subjects: [
    { id: 'native-timers', label: 'native setTimeout', group: 'native', subject: '', slack: 0 },
    ...backends.flatMap(([group, subject]) => [
      { id: `${group}-exact`, label: `${group}, without slack`, group, subject, slack: 0 },
      { id: `${group}-slack`, label: `${group}, slack of ${slack} ms`, group, subject, slack },
    ]),
  ],
  turns: 5,
  measure: (call, _settings, { slack }) => call('countWakeUps', { slack }),
}

const perSecond = 10_000
const longest = 1_000
const seconds = 4
/** Seconds in which the engine compiles code, and the timers spread. */
const settling = 2

async function loadTimer(subject, slack) {
  if (subject === '') return (callback, delay, due) => void setTimeout(callback, delay, due)
  const { TimerWheel } = await import(subject)
  const wheel = new TimerWheel({ slack })
  return (callback, delay, due) => wheel.schedule(callback, delay, due)
}

/** The voluntary context switches of the main thread: its sleeps. */
const countSleeps = () =>
  Number(
    readFileSync(`/proc/${process.pid}/task/${process.pid}/status`, 'utf8').match(
      /^voluntary_ctxt_switches:\s*(\d+)/m,
    )?.[1],
  )

/** Keeps timers of random delays pending, of which 10,000 run in a second. */
export async function countWakeUps(subject, { slack }) {
  const set = await loadTimer(subject, slack)
  const random = randomNumbers(9)
  let lateness = []
  let ran = 0
  const run = (due) => {
    ran++
    lateness.push(performance.now() - due)
    start()
  }
  function start() {
    const delay = 1 + Math.floor(random() * longest)
    set(run, delay, performance.now() + delay)
  }

  // Each timer lives for half of the longest delay, on average.
  for (let n = 0; n < (perSecond * longest) / 2_000; n++) start()
  await sleep(settling * 1_000)
  const sleeps = countSleeps()
  const cpu = cpuTime()
  const from = performance.now()
  lateness = []
  ran = 0
  await sleep(seconds * 1_000)
  const passed = (performance.now() - from) / 1_000
  const used = cpuTime() - cpu
  const late = Float64Array.from(lateness).sort()
  return {
    wakeUps: (countSleeps() - sleeps) / passed,
    cpu: used / 10_000 / passed,
    late50: quantile(late, 0.5),
    late99: quantile(late, 0.99),
    earliest: late[0],
    rate: ran / passed,
  }
}
