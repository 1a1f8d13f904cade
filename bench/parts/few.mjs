/**
 * Timers that set themselves again when they have run: few, one, and one that is far away. Each part watches processes
 * with such timers for some seconds, and compares the readings before and after.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeastTimes, atMost, atMostAbove, builds } from '../runner/bars.mjs'
import { cpuTime, HOUR } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { quantile } from '../runner/statistics.mjs'

const isLinux = () => existsSync('/proc/self/task')

/** The voluntary context switches of the main thread, which are its sleeps. */
function countSleeps({ pid }) {
  const status = isLinux() ? readFileSync(`/proc/${pid}/task/${pid}/status`, 'utf8') : ''
  return Number(status.match(/^voluntary_ctxt_switches:\s*(\d+)/m)?.[1])
}

/** The mean of each figure of several processes. */
const meanOf = (all) =>
  Object.fromEntries(
    Object.keys(all[0]).map((key) => [key, all.reduce((sum, one) => sum + one[key], 0) / all.length]),
  )

/**
 * A part. `timers` of random delays from `least` to `most` run in each of the `processes` of a subject, or what the subject says instead.
 * After `settling` seconds, in which the engine compiles code, `figures` gets what a process did within `seconds`. `isSilent`: nothing
 * is asked from the processes, because that would wake them. All of them run at the same time, unless their timers are timed.
 */
const part = ({ seconds, settling, isSilent = false, processes = 1, ...work }, figures, more) => {
  async function watch(subjects, { startChild, nextMessage, ask }, use) {
    // The processes of a subject are not started one after the other: the machine can be slower at one time than at another.
    const children = Array.from({ length: processes * subjects.length }, (_, i) => {
      const { id, subject = id, work: own } = subjects[i % subjects.length]
      return startChild('few', 'runAgain', subject, { ...work, ...own })
    })
    const read = async (child) => ({
      sleeps: countSleeps(child),
      ...(isSilent ? {} : await ask(child, 'read')),
    })
    const readAll = () => Promise.all(children.map(read))
    try {
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      return await use(async () => {
        const before = await readAll()
        await sleep(seconds * 1000)
        const all = (await readAll()).map((after, i) => {
          const since = (key) => after[key] - before[i][key]
          const seen = { cpu: since('cpu') / 1000, ran: since('ran'), passed: since('now') / 1000 }
          return figures({ ...after, ...seen, sleeps: since('sleeps') })
        })
        return subjects.map((_, i) => meanOf(all.filter((_, k) => k % subjects.length === i)))
      })
    } finally {
      for (const child of children) child.kill()
    }
  }

  const measure = (_call, _settings, subject, processes) =>
    watch([subject], processes, async (take) => (await take())[0])
  return {
    file: 'few',
    takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
    turns: 7,
    ...(work.isTimed ? { measure } : { together: watch }),
    ...more,
  }
}

const empty = { id: 'empty', label: 'no timer at all', subject: 'native', work: { timers: 0 } }
const fewSeconds = 5
const fewProcesses = 12
const together = 'All processes run at the same time.'

export const few = part(
  { timers: 10, least: 50, most: 150, seconds: fewSeconds, settling: 3, processes: fewProcesses },
  ({ cpu }) => ({ cpu: cpu / fewSeconds }),
  {
    name: 'few',
    title: 'Few timers: ten, a hundred runs a second',
    note:
      `Ten timers of 50 to 150 ms, each set again when it has run, for ${fewSeconds} s, as in a program with few timers. CPU time of the ` +
      `whole process in each second: the mean of ${fewProcesses} processes, because processes of the same code differ by half. ${together}`,
    // Two readings are not enough. They differ by a third, because the engine still compiles code during the first.
    quick: true,
    last: { ...empty, group: 'floor' },
    metrics: [{ key: 'cpu', label: 'CPU', unit: 'ms/s', digits: 2 }],
  },
)

export const wakeUps = part(
  { timers: 1, least: 5, most: 5, seconds: fewSeconds, settling: 3 },
  ({ cpu, ran }) => ({ cpu: (cpu * 1000) / Math.max(ran, 1) }),
  {
    name: 'wake-ups',
    title: 'One timer: the cost of a wake-up',
    note: `One timer of 5 ms, set again when it has run, for ${fewSeconds} s. CPU time of the whole process for each run. ${together}`,
    metrics: [{ key: 'cpu', label: 'CPU a wake-up', unit: 'µs', digits: 1 }],
    bars: ['addon', 'wasm'].map((build) =>
      atLeastTimes(1 / 1.1, `CPU of a wake-up, ${build}`, 'cpu', `${build}-handles`),
    ),
  },
)

const idleSeconds = 10
const needs = () => (isLinux() ? undefined : 'wake-ups are read from /proc, which exists only on Linux')

export const idle = part(
  // A new process compiles code on other threads, and collects garbage.
  { timers: 1, least: HOUR, most: HOUR, seconds: idleSeconds, settling: 20, isSilent: true },
  ({ sleeps }) => ({ wakeUps: sleeps }),
  {
    name: 'idle',
    title: `Idle: one timer an hour away, watched for ${idleSeconds} s`,
    note:
      'How often the main thread woke: the voluntary context switches that Linux counts. They are read from another process, so ' +
      'that the reading wakes no thread. All processes are watched at the same time, after a rest.',
    metrics: [{ key: 'wakeUps', label: 'wake-ups of the loop', unit: '' }],
    bars: [
      atMostAbove(0, 'idle for 10 s: wake-ups beyond those of no timer', 'wakeUps', 'addon-handles', 'empty'),
    ],
    needs,
    takes: ({ api }) => api !== 'handlesWithoutContext',
    first: { ...empty, group: 'native' },
  },
)

/** The sorted lateness of all runs, and the share of a processor. */
const latenessOf = ({ late, cpu, passed }) => ({
  late99: quantile(late, 0.99),
  late50: quantile(late, 0.5),
  cpu: cpu / 10 / passed,
})

const nativeRow = (kind, label) => ({ id: `native-${kind}`, label, group: 'native', subject: 'native' })

const fineWork = { wheel: { tick: 0.05 } }
const [fineAddon, fineWasm] = builds('chain', 'ticks of 0.05 ms')

export const fineChain = part(
  { timers: 1, least: 0.25, most: 0.25, seconds: 1, settling: 0.5, isTimed: true },
  (seen) => ({ chain: (seen.passed * 1000) / seen.ran, ...latenessOf(seen) }),
  {
    name: 'fine-chain',
    title: 'A chain of timers of 0.25 ms',
    note:
      'Each timer is set in the callback of the one before, for a second; native timers of 1 ms, their shortest delay. Lateness is ' +
      'measured from a reading of the clock just before the timer was set: below zero is early. The figures to reach are those of the best ' +
      'of five turns. CPU time of the whole process, of one processor.',
    metrics: [
      { key: 'late99', label: 'late p99', unit: 'ms', digits: 3 },
      { key: 'late50', label: 'late p50', unit: 'ms', digits: 3 },
      { key: 'chain', label: 'period', unit: 'ms', digits: 3, isCost: false },
      { key: 'cpu', label: 'CPU', unit: '%', digits: 1, isCost: false },
    ],
    bars: [
      atMost(0.08, 'a chain of 0.25 ms: lateness, p50', 'late50', 'addon-chain'),
      atMost(0.3, 'a chain of 0.25 ms: lateness, p99', 'late99', 'addon-chain'),
    ].map((bar) => ({ ...bar, of: 'min' })),
    subjects: [
      { ...nativeRow('chain', 'native setTimeout, 1 ms'), work: { least: 1, most: 1 } },
      { ...fineAddon, work: fineWork },
      // Not wasm-chain: the host wakes it at whole milliseconds, so its lateness is not compared with the addon's.
      { ...fineWasm, id: 'host-chain', work: fineWork },
    ],
    turns: 5,
  },
)

/** A contender, or an entry of the package: `wheel` has the options of its wheel. */
async function setterOf(subject, wheel) {
  if (typeof subject !== 'string') return subject.setWith
  const { TimerWheel } = await import(subject)
  const own = new TimerWheel(wheel)
  return (callback, delay, argument) => own.schedule(callback, delay, argument)
}

/** Keeps some timers pending. Answers each message with what the process has done, and with the lateness since the last message. */
export async function runAgain(subject, { timers, least, most, wheel, isTimed }) {
  const set = await setterOf(subject, wheel)
  const random = randomNumbers(8)
  let ran = 0
  let late = []
  const start = () => {
    const delay = least + Math.floor(random() * (most - least))
    if (isTimed) set(onTimeout, delay, performance.now() + delay)
    else set(onTimeout, delay)
  }
  const onTimeout = (due) => {
    ran++
    if (isTimed) late.push(performance.now() - due)
    start()
  }
  for (let i = 0; i < timers; i++) start()
  process.on('message', () => {
    process.send({ cpu: cpuTime(), ran, now: performance.now(), late: late.sort((a, b) => a - b) })
    late = []
  })
  process.send('ready')
}
