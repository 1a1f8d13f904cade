import { setTimeout as sleep } from 'node:timers/promises'
import { cpuTime } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'

const seconds = 5
/** Seconds in which the engine compiles code. They are not measured. */
const settling = 3
const method = 'All processes run at the same time.'

/** Few timers, each of which sets itself again when it has run. `figures` takes CPU time in ms and the number of runs. */
const part = ({ timers, least, most }, figures, more) => ({
  file: 'few',
  takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
  turns: 7,

  async together(subjects, { startChild, nextMessage, ask }, turns) {
    const start = ({ id }) =>
      startChild('few', 'runFew', id, { timers: id === 'empty' ? 0 : timers, least, most })
    const children = subjects.map(start)
    try {
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      const counts = () => Promise.all(children.map((child) => ask(child, 'counts')))
      return await turns(async () => {
        const before = await counts()
        await sleep(seconds * 1000)
        return (await counts()).map(({ cpu, ran, resident }, i) =>
          figures((cpu - before[i].cpu) / 1000, ran - before[i].ran, resident),
        )
      })
    } finally {
      for (const child of children) child.kill()
    }
  },
  ...more,
})

export const few = part(
  { timers: 10, least: 50, most: 150 },
  (cpu, _ran, resident) => ({ cpu: cpu / seconds, memory: resident / 1e6 }),
  {
    name: 'few',
    title: 'Few timers: ten, a hundred runs a second',
    note:
      `Ten timers of 50 to 150 ms, each set again when it has run, for ${seconds} s, as in a program with few timers. The figures are the ` +
      `CPU time of the whole process in each second, and its resident set. ${method}`,
    last: { id: 'empty', label: 'no timer at all', group: 'floor' },
    metrics: [
      { key: 'cpu', label: 'CPU', unit: 'ms/s', digits: 2 },
      { key: 'memory', label: 'whole process', unit: 'MB', digits: 1 },
    ],
  },
)

export const wakeUps = part(
  { timers: 1, least: 5, most: 5 },
  (cpu, ran) => ({ cpu: (cpu * 1000) / Math.max(ran, 1), rate: ran / seconds }),
  {
    name: 'wake-ups',
    title: 'One timer: the cost of a wake-up',
    note: `One timer of 5 ms, set again when it has run, for ${seconds} s. CPU time of the whole process for each run. ${method}`,
    metrics: [
      { key: 'cpu', label: 'CPU a wake-up', unit: 'µs', digits: 1 },
      { key: 'rate', label: 'runs a second', unit: '', isCost: false },
    ],
    bars: ['addon', 'wasm'].map((build) => ({
      work: `CPU of a wake-up, ${build}`,
      ...{ metric: 'cpu', row: `${build}-handles`, kind: 'times', value: 1 / 1.1 },
    })),
  },
)

/** Some timers. Answers each message with the CPU time, the number of runs and the memory of the process. */
export function runFew(subject, { timers, least, most }) {
  const random = randomNumbers(8)
  const delay = () => least + Math.floor(random() * (most - least))
  let ran = 0
  const onTimeout = () => {
    ran++
    subject.set(onTimeout, delay())
  }
  for (let i = 0; i < timers; i++) subject.set(onTimeout, delay())
  process.on('message', () => process.send({ cpu: cpuTime(), ran, resident: process.memoryUsage.rss() }))
  process.send('ready')
}
