import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR, partOf, query, row, SECOND } from '../durable/part.mjs'
import { atMost } from '../runner/bars.mjs'

const MEBI = 2 ** 20

/** Whether at most 50,000 deleted rows are left, which autovacuum has not removed yet. */
async function isVacuumed(address) {
  const [{ dead }] = await query(
    address,
    "SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'timers'",
  )
  return Number(dead) < 50_000
}

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
      isFile
        ? statSync(address).size
        : Number((await query(address, "SELECT pg_total_relation_size('timers') AS n"))[0].n)
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
    // Autovacuum looks once a minute.
    for (let waited = 0; !isFile; waited++) {
      await sleep(5 * SECOND)
      if (await isVacuumed(address)) break
      if (waited > 60) throw new Error('autovacuum did not run within five minutes')
    }
    const after = await sizeOf()
    return { growth: (after - before) / MEBI, times: after / before, log: log / MEBI }
  },
})
