import { setTimeout as sleep } from 'node:timers/promises'
import { cpuTime } from '../runner/inside.mjs'
import { randomNumbers } from '../runner/random.mjs'

const seconds = 5
/** Seconds in which the engine compiles code. They are not measured. */
const settling = 3

export default {
  name: 'few',
  title: 'Few timers: ten, a hundred runs a second',
  note:
    `Ten timers of 50 to 150 ms, each set again when it has run, for ${seconds} s, as in a program with few timers. The figures are the ` +
    'CPU time of the whole process in each second, and its resident set. All processes run at the same time.',
  metrics: [
    { key: 'cpu', label: 'CPU', unit: 'ms/s', digits: 2 },
    { key: 'memory', label: 'whole process', unit: 'MB', digits: 1 },
  ],
  takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
  last: { id: 'empty', label: 'no timer at all', group: 'floor' },
  turns: 7,

  async together(subjects, { startChild, nextMessage, ask }, turns) {
    const children = subjects.map(({ id }) => startChild('few', 'runFew', id))
    try {
      await Promise.all(children.map((child) => nextMessage(child)))
      await sleep(settling * 1000)
      const counts = () => Promise.all(children.map((child) => ask(child, 'counts')))
      return await turns(async () => {
        const before = await counts()
        await sleep(seconds * 1000)
        return (await counts()).map(({ cpu, resident }, i) => ({
          cpu: (cpu - before[i].cpu) / 1000 / seconds,
          memory: resident / 1e6,
        }))
      })
    } finally {
      for (const child of children) child.kill()
    }
  },
}

/** Ten timers, or none for the subject `empty`. Answers each message with the CPU time and the memory of the process. */
export function runFew(timers) {
  const random = randomNumbers(8)
  const delay = () => 50 + Math.floor(random() * 100)
  if (timers !== 'empty') {
    const onTimeout = () => {
      timers.set(onTimeout, delay())
    }
    for (let i = 0; i < 10; i++) timers.set(onTimeout, delay())
  }
  process.on('message', () => process.send({ cpu: cpuTime(), resident: process.memoryUsage.rss() }))
  process.send('ready')
}
