import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, partOf, query, row, SECOND } from '../durable/part.mjs'
import { atMost } from '../runner/bars.mjs'

/** The number that a function of PostgreSQL returns. */
const numberOf = async (address, call) => Number((await query(address, `SELECT ${call} AS n`))[0].n)

export default partOf({
  name: 'durable-health',
  title: 'Durable timers: the size of the store',
  note:
    '1,000,000 timers are set, run and acknowledged beside 1,000,000 that stay pending. "growth": the store after that, beyond its size before, ' +
    'or as a multiple of it; PostgreSQL after autovacuum. "log": the write-ahead log of SQLite at its greatest.',
  metrics: [
    { key: 'growth', label: 'growth', unit: 'MiB' },
    { key: 'times', label: 'of before', unit: 'times', digits: 2 },
    { key: 'log', label: 'log', unit: 'MiB' },
  ],
  subjects: [row('sqlite', { against: 'none' }), row('postgres', { against: 'none' })],
  bars: [
    atMost(64, 'SQLite: growth', 'growth', 'sqlite'),
    atMost(64, 'SQLite: log', 'log', 'sqlite'),
    atMost(1.8, 'PostgreSQL: table and indexes', 'times', 'postgres'),
  ],
  turns: 1,
  async measure(launch, subject, { timers, address }) {
    const isFile = subject.subject === 'sqlite'
    const sizeOf = async () =>
      isFile ? statSync(address).size : numberOf(address, "pg_total_relation_size('timeout_wheel.timers')")
    const { call } = await launch()
    await call('fill', { count: timers, from: 24 * HOUR, to: 1_000 * HOUR })
    const before = await sizeOf()
    await call('handle')
    let log = 0
    const portion = Math.min(timers, 50_000)
    for (let done = 0; done < timers; done += portion) {
      await call('fill', { count: portion, from: 0, first: 1e8 + done })
      await call('untilRan', { count: portion })
      if (isFile) log = Math.max(log, statSync(`${address}-wal`).size)
    }
    // Autovacuum looks once a minute. It may leave a few deleted rows.
    for (let waited = 0; !isFile; waited++) {
      await sleep(5 * SECOND)
      if ((await numberOf(address, "pg_stat_get_dead_tuples('timeout_wheel.timers'::regclass)")) < 50_000)
        break
      if (waited > 60) throw new Error('autovacuum did not run within five minutes')
    }
    const after = await sizeOf()
    return { growth: (after - before) / 2 ** 20, times: after / before, log: log / 2 ** 20 }
  },
})
