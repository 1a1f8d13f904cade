/** What others cost: a name whose handler hangs, and processes that are open. */
import { setTimeout as sleep } from 'node:timers/promises'
import { LABELS, partOf, row, SECOND } from '../durable/part.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'

export const durableNames = partOf({
  name: 'durable-names',
  title: 'Durable timers: beside a name that hangs',
  note: 'How late a job starts, beside 15,000 due jobs of another name, whose handler never ends.',
  metrics: [{ key: 'late', label: 'late', unit: 'ms' }],
  subjects: ['sqlite', 'postgres'].map((store) => row(store, { against: 'none' })),
  bars: ['sqlite', 'postgres'].map((store) => atMost(20, `${LABELS[store]}: late`, 'late', store)),
  turns: 5,
  async measure(launch) {
    const { call } = await launch()
    return { late: await call('besideHanging', { count: 15_000 }) }
  },
})

export const durableTransactions = partOf({
  name: 'durable-transactions',
  title: 'Durable timers: transactions of a program',
  note: 'Each sets a timer that is due in three days, by `db`, on one of four connections, while one or ten processes have the store open.',
  metrics: [
    { key: 'rate', label: 'transactions/s', unit: '', isCost: false },
    { key: 'each', label: 'each', unit: 'µs' },
  ],
  subjects: [1, 10].map((processes) => {
    const way = `${processes} process${processes === 1 ? '' : 'es'}`
    return row('postgres', { way, processes, against: 'postgres-1 process' })
  }),
  bars: [atLeastTimes(0.9, '10 processes beside 1', 'each', 'postgres-10 processes', 'postgres-1 process')],
  turns: 5,
  async measure(launch, { processes }, { seconds }) {
    const all = []
    for (let i = 0; i < processes; i++) all.push(await launch())
    for (const { call } of all) await call('handle')
    await sleep(SECOND)
    const rate = await all[0].call('transactions', { seconds })
    return { rate, each: 1e6 / rate }
  },
})
