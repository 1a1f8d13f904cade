import { setTimeout as sleep } from 'node:timers/promises'
import { partOf, row, SECOND } from '../durable/part.mjs'
import { atLeastTimes } from '../runner/bars.mjs'

export default partOf({
  name: 'durable-capacity',
  title: 'Durable timers: capacity',
  note:
    'Jobs that are due at once are set in calls of 50,000, run by an empty handler and acknowledged. "setter": the process that sets them ' +
    'runs them. "claim": another process does. "two": two processes set and run a half each. The time of this package ends when its store ' +
    'is closed, that of the others when the last job starts. All of them wait for the disk at each commit. This package and pg-boss start up to 1,000 jobs at once, BullMQ 100.',
  metrics: [
    { key: 'rate', label: 'jobs/s', unit: '', isCost: false },
    { key: 'each', label: 'each', unit: 'µs', digits: 1 },
  ],
  subjects: [
    ...['setter', 'claim'].map((way) => row('sqlite', { way })),
    ...['setter', 'claim', 'two'].map((way) => row('postgres', { way })),
    row('pg-boss'),
    row('bullmq'),
  ],
  bars: [
    atLeastTimes(2.5, 'SQLite, setter', 'each', 'sqlite-setter', 'pg-boss'),
    atLeastTimes(1.5, 'SQLite, claim', 'each', 'sqlite-claim', 'pg-boss'),
    atLeastTimes(5, 'SQLite, setter, beside BullMQ', 'each', 'sqlite-setter', 'bullmq'),
    atLeastTimes(2.5, 'PostgreSQL, setter', 'each', 'postgres-setter', 'pg-boss'),
    atLeastTimes(2, 'PostgreSQL, claim', 'each', 'postgres-claim', 'pg-boss'),
    atLeastTimes(1, 'PostgreSQL, two processes', 'each', 'postgres-two', 'postgres-setter'),
  ],
  turns: 5,
  async measure(launch, { way, group }, { timers }) {
    const count = Math.min(timers, 50_000)
    const runners = way === 'two' ? [await launch(), await launch()] : [await launch()]
    const setters = way === 'claim' ? [await launch()] : runners
    for (const { call } of runners) await call('handle')
    const start = performance.now()
    const part = count / setters.length
    await Promise.all(setters.map(({ call }, i) => call('fill', { count: part, from: 0, first: i * part })))
    await finish(runners, count)
    if (group !== 'rival') await Promise.all(runners.map(({ call }) => call('close')))
    const ms = performance.now() - start
    return { rate: (count / ms) * 1_000, each: (ms / count) * 1_000 }
  },
})

/** Waits until some processes have run so many jobs together. */
async function finish(runners, count) {
  if (runners.length === 1) return runners[0].call('untilRan', { count })
  for (let ran = 0, end = performance.now() + 120 * SECOND; ran < count; await sleep(5)) {
    if (performance.now() > end) throw new Error(`${count - ran} jobs never ran`)
    const all = await Promise.all(runners.map(({ call }) => call('counts')))
    ran = all.reduce((sum, one) => sum + one.ran, 0)
  }
}
