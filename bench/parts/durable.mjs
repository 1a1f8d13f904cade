import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export * from '../durable/process.mjs'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
/** Of the process that is killed or stopped. */
const LEASE = 10 * SECOND

const LABELS = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  'pg-boss': 'pg-boss',
  bullmq: 'BullMQ, Redis',
  'graphile-worker': 'graphile-worker',
  agenda: 'Agenda, PostgreSQL',
}
const RIVALS = ['pg-boss', 'bullmq', 'graphile-worker', 'agenda']
const row = (store, more = {}) => ({
  id: [store, more.way].filter(Boolean).join('-'),
  label: [LABELS[store], more.way].filter(Boolean).join(': '),
  group: RIVALS.includes(store) ? 'rival' : 'addon',
  subject: store,
  ...more,
})

/** Starts the servers that the rows need, for all turns. A turn of a row has a new database or file. */
async function withServers(subjects, _processes, progress, measureAll) {
  const needs = (...stores) => subjects.some(({ subject }) => stores.includes(subject))
  const [hasPostgres, hasRedis] = [
    needs(...Object.keys(LABELS).filter((id) => !/sqlite|bullmq/.test(id))),
    needs('bullmq'),
  ]
  progress.show('durable: servers')
  const [{ setUp }, { startPostgres, startRedis }, { jobPackages }] = await Promise.all([
    import('../../.tooling/setup.mjs'),
    import('../../.tooling/servers.mjs'),
    import('../../.tooling/runtimes.mjs'),
  ])
  await setUp([...(hasPostgres ? ['postgres'] : []), ...(hasRedis ? ['redis'] : [])])
  if (needs(...RIVALS)) await jobPackages()
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-bench-'))
  let postgres
  let redis
  let turns = 0
  try {
    if (hasPostgres) postgres = await startPostgres()
    if (hasRedis) redis = await startRedis()
    return await measureAll({
      postgres,
      /** An address of nothing yet. */
      async fresh({ subject }) {
        turns++
        if (subject === 'sqlite') return join(folder, `${turns}.db`)
        if (subject === 'bullmq') return `${redis.port}`
        await query(postgres.url, `CREATE DATABASE turn_${turns}`)
        return postgres.url.replace(/postgres$/, `turn_${turns}`)
      },
    })
  } finally {
    await Promise.allSettled([postgres?.stop(), redis?.stop()])
    rmSync(folder, { recursive: true })
  }
}

async function query(url, text) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Runs `measure` with functions that start processes on a new store. All are ended. */
async function withProcesses({ startChild, ask }, subject, around, measure) {
  const address = await around.fresh(subject)
  const children = []
  const launch = async (how = {}) => {
    const child = startChild('durable', 'serve', subject.subject)
    children.push(child)
    const call = (name, options = {}) => ask(child, { name, options }, { patience: 1_800 })
    await call('open', { address, ...how })
    return { child, call }
  }
  try {
    return await measure(launch, address)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
}

const shared = {
  file: 'durable',
  onRequest: true,
  alwaysJudged: true,
  ratioTo: 'ratio',
  sources: ['lib/durable', 'lib/entry/durable.ts'],
  leastNode: 24,
  around: withServers,
  against: 'pg-boss',
}

const capacity = {
  ...shared,
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
    row('sqlite', { way: 'setter' }),
    row('sqlite', { way: 'claim' }),
    row('postgres', { way: 'setter' }),
    row('postgres', { way: 'claim' }),
    row('postgres', { way: 'two' }),
    row('pg-boss'),
    row('bullmq'),
  ],
  bars: [
    ['SQLite, setter', 'sqlite-setter', 'pg-boss', 2.5],
    ['SQLite, claim', 'sqlite-claim', 'pg-boss', 1.5],
    ['SQLite, setter, beside BullMQ', 'sqlite-setter', 'bullmq', 5],
    ['PostgreSQL, setter', 'postgres-setter', 'pg-boss', 2.5],
    ['PostgreSQL, claim', 'postgres-claim', 'pg-boss', 2],
    ['PostgreSQL, two processes', 'postgres-two', 'postgres-setter', 1],
  ].map(([work, id, base, value]) => ({ work, metric: 'each', row: id, base, kind: 'times', value })),
  turns: 3,
  async measure(_call, { timers }, subject, processes, around) {
    const count = Math.min(timers, 50_000)
    return withProcesses(processes, subject, around, async (launch) => {
      const { way } = subject
      const runners = way === 'two' ? [await launch(), await launch()] : [await launch()]
      const setters = way === 'claim' ? [await launch()] : runners
      for (const { call } of runners) await call('handle')
      const start = performance.now()
      const part = count / setters.length
      await Promise.all(setters.map(({ call }, i) => call('fill', { count: part, from: 0, first: i * part })))
      await finish(runners, count)
      if (subject.group !== 'rival') await Promise.all(runners.map(({ call }) => call('close')))
      const ms = performance.now() - start
      return { rate: (count / ms) * 1_000, each: (ms / count) * 1_000 }
    })
  },
}

/** Waits until some processes have run so many jobs together. */
async function finish(runners, count) {
  if (runners.length === 1) return runners[0].call('untilRan', { count })
  for (let ran = 0, end = performance.now() + 120 * SECOND; ran < count; await sleep(5)) {
    if (performance.now() > end) throw new Error(`${count - ran} jobs never ran`)
    const all = await Promise.all(runners.map(({ call }) => call('counts')))
    ran = all.reduce((sum, one) => sum + one.ran, 0)
  }
}

const punctuality = {
  ...shared,
  name: 'durable-punctuality',
  title: 'Durable timers: how late they start',
  note:
    'Each job is set by a call of its own, for a random moment within the next three seconds, and the process that sets it runs it. Packages ' +
    'that look for jobs at intervals look as often as they allow, at most twice a second. "woken": a timer of this package calls notifyWorker ' +
    'at the due time, as docs/integrations.md shows.',
  metrics: [
    { key: 'p99', label: 'p99', unit: 'ms' },
    { key: 'p50', label: 'p50', unit: 'ms' },
    { key: 'least', label: 'least', unit: 'ms' },
  ],
  // At 2,000 a second, the last two fall behind for minutes.
  subjects: [500, 2_000].flatMap((rate) => {
    const beside = { rate, against: `pg-boss-${rate}/s` }
    const rivals = rate === 500 ? RIVALS : RIVALS.slice(0, 2)
    const woken = { ...beside, way: `${rate}/s, woken`, options: { notify: true } }
    return [
      ...['sqlite', 'postgres', ...rivals].map((store) => row(store, { ...beside, way: `${rate}/s` })),
      ...(rate === 500 ? [row('pg-boss', woken)] : []),
    ]
  }),
  bars: ['sqlite', 'postgres'].flatMap((store) =>
    [500, 2_000].flatMap((rate) => [
      {
        work: `${LABELS[store]}, ${rate}/s, p50`,
        metric: 'p50',
        row: `${store}-${rate}/s`,
        base: `pg-boss-${rate}/s`,
        kind: 'most',
        value: 2,
      },
      {
        work: `${LABELS[store]}, ${rate}/s, p99`,
        metric: 'p99',
        row: `${store}-${rate}/s`,
        base: `pg-boss-${rate}/s`,
        kind: 'most',
        value: 15,
      },
      {
        work: `${LABELS[store]}, ${rate}/s, beside pg-boss`,
        metric: 'p50',
        row: `${store}-${rate}/s`,
        base: `pg-boss-${rate}/s`,
        kind: 'times',
        value: 30,
      },
    ]),
  ),
  turns: 3,
  measure: (_call, { seconds }, subject, processes, around) =>
    withProcesses(processes, subject, around, async (launch) => {
      const { rate, options } = subject
      const { call } = await launch({ options })
      await call('handle')
      await call('trickle', { rate, seconds })
      const { p50, p99, least } = await call('untilRan', { count: rate * seconds })
      return { p99, p50, least }
    }),
}

const burst = {
  ...shared,
  name: 'durable-burst',
  title: 'Durable timers: a burst',
  note:
    '50,000 jobs that are due within one second, which were set before. "done": from the first due time to the last start. "block": the ' +
    'longest time in which the event loop did nothing else.',
  metrics: [
    { key: 'done', label: 'done', unit: 'ms' },
    { key: 'block', label: 'block', unit: 'ms', digits: 1 },
    { key: 'p99', label: 'late, p99', unit: 'ms' },
  ],
  subjects: [row('sqlite'), row('postgres'), row('pg-boss')],
  bars: ['sqlite', 'postgres'].flatMap((store) => [
    {
      work: `${LABELS[store]}: all started`,
      metric: 'done',
      row: store,
      base: 'pg-boss',
      kind: 'most',
      value: 2_000,
    },
    {
      work: `${LABELS[store]}: longest block`,
      metric: 'block',
      row: store,
      base: 'pg-boss',
      kind: 'most',
      value: 20,
    },
  ]),
  turns: 5,
  measure: (_call, { timers }, subject, processes, around) =>
    withProcesses(processes, subject, around, async (launch) => {
      const count = Math.min(timers, 50_000)
      // Time to set them.
      const from = 20 * SECOND
      const { call } = await launch()
      await call('handle')
      const dueFrom = Date.now()
      const took = await call('fill', { count, from, to: from + SECOND })
      if (took > from - 3 * SECOND) throw new Error(`to set them took ${Math.round(took)} ms`)
      await sleep(from - took - 2 * SECOND)
      await call('watchBlocks')
      const { last, block, p99 } = await call('untilRan', { count })
      return { done: last - (dueFrom + from), block, p99 }
    }),
}

/** What happens to one of the two processes, or to the server. */
const FAULTS = {
  'kill -9': ({ victim }) => victim.kill('SIGKILL'),
  'stopped for 13 s': async ({ victim }) => {
    victim.kill('SIGSTOP')
    await sleep(LEASE + 3 * SECOND)
    victim.kill('SIGCONT')
  },
  'server restarted': ({ postgres }) => postgres.restart(),
}

const recovery = {
  ...shared,
  name: 'durable-recovery',
  title: 'Durable timers: recovery',
  note:
    'Two processes with a lease of 10 s hold 5,000 jobs that are due within eight seconds. After four seconds a fault happens. "latest": the ' +
    'longest time from a due time to a start.',
  metrics: [
    { key: 'latest', label: 'latest', unit: 'ms' },
    { key: 'lost', label: 'lost', unit: '' },
    { key: 'twice', label: 'twice', unit: '' },
    { key: 'early', label: 'early', unit: '' },
  ],
  subjects: ['sqlite', 'postgres'].flatMap((store) =>
    Object.keys(FAULTS)
      .filter((way) => store === 'postgres' || way !== 'server restarted')
      .map((way) => row(store, { way, against: 'none' })),
  ),
  get bars() {
    return this.subjects.flatMap(({ id: of, label }) =>
      [
        ['latest', LEASE + 2 * SECOND],
        ['lost', 0],
        ['twice', 5],
        ['early', 0],
      ].map(([metric, value]) => ({
        work: `${label}: ${metric}`,
        metric,
        row: of,
        kind: 'most',
        value,
      })),
    )
  },
  turns: 3,
  measure: (_call, _settings, subject, processes, around) =>
    withProcesses(processes, subject, around, async (launch, address) => {
      const logs = mkdtempSync(join(tmpdir(), 'timeout-wheel-logs-'))
      const count = 5_000
      const options = { lease: LEASE }
      const [first, second] = [await launch({ options }), await launch({ options })]
      await first.call('handle', { file: join(logs, '1') })
      await second.call('handle', { file: join(logs, '2') })
      await Promise.all(
        [first, second].map(({ call }, i) =>
          call('fill', { count: count / 2, first: (i * count) / 2, from: SECOND, to: 9 * SECOND }),
        ),
      )
      await sleep(4 * SECOND)
      await FAULTS[subject.way]({ victim: second.child, postgres: around.postgres, address })
      const starts = () =>
        readdirSync(logs).flatMap((file) =>
          readFileSync(join(logs, file), 'utf8').trim().split('\n').filter(Boolean),
        )
      for (
        let waited = 0;
        waited < 3 * LEASE && new Set(starts().map((one) => one.split(' ')[0])).size < count;
        waited += 500
      )
        await sleep(500)
      // Those that would run twice do so by then.
      await sleep(2 * SECOND)
      const all = starts().map((one) => one.split(' ').map(Number))
      rmSync(logs, { recursive: true })
      const ids = new Set(all.map(([one]) => one))
      const late = all.map(([, ms]) => ms)
      return {
        latest: Math.max(...late),
        lost: count - ids.size,
        twice: all.length - ids.size,
        early: late.filter((ms) => ms < 0).length,
      }
    }),
}

const FEW = 10_000
const pendingOf = (store, timers) => (store === 'sqlite' ? 10 : 1) * timers

const scale = {
  ...shared,
  name: 'durable-scale',
  title: 'Durable timers: many that are pending',
  note:
    'Beside 10,000 pending timers, and beside 1,000,000 (SQLite: 10,000,000), 20,000 are set for later with keys in order and at random, and 20,000 ' +
    'that are due are claimed, run and acknowledged. "claim": of PostgreSQL, the median call of the function that claims, when nothing is due.',
  metrics: [
    { key: 'set', label: 'set', unit: 'µs', digits: 1 },
    { key: 'random', label: 'set at random', unit: 'µs', digits: 1 },
    { key: 'ran', label: 'claimed and run', unit: 'µs', digits: 1 },
    { key: 'claim', label: 'claim', unit: 'ms', digits: 2 },
    { key: 'memory', label: 'memory', unit: 'MiB' },
  ],
  subjects: ['sqlite', 'postgres'].flatMap((store) => [
    row(store, { way: 'few', against: `${store}-few` }),
    row(store, { way: 'many', against: `${store}-few` }),
  ]),
  bars: [
    ...['sqlite', 'postgres'].flatMap((store) =>
      [
        ['set', 2],
        ['random', store === 'sqlite' ? 8 : 2],
        ['ran', 2],
      ].map(([metric, most]) => ({
        ...{
          work: `${LABELS[store]}: ${metric}`,
          metric,
          row: `${store}-many`,
          base: `${store}-few`,
          kind: 'times',
          value: 1 / most,
        },
      })),
    ),
    {
      work: 'SQLite: memory',
      metric: 'memory',
      row: 'sqlite-many',
      base: 'sqlite-few',
      kind: 'most',
      value: 200,
    },
    {
      work: 'PostgreSQL: empty claim',
      metric: 'claim',
      row: 'postgres-many',
      base: 'postgres-few',
      kind: 'most',
      value: 2,
    },
  ],
  turns: 1,
  measure: (_call, { timers }, subject, processes, around) =>
    withProcesses(processes, subject, around, async (launch) => {
      const pending = subject.way === 'many' ? pendingOf(subject.subject, timers) : FEW
      const count = 20_000
      const setter = await launch()
      await setter.call('fill', { count: pending, from: 24 * HOUR, to: 1_000 * HOUR })
      const each = (ms) => (ms / count) * 1_000
      const more = { count, from: HOUR, to: 2 * HOUR }
      const set = await setter.call('fill', { ...more, first: 1e8 })
      const random = await setter.call('fill', { ...more, first: 2e8, isRandom: true })
      await setter.call('fill', { count, from: 0, first: 3e8 })
      const runner = await launch({ options: { maxHeld: 10_000 } })
      const start = performance.now()
      await runner.call('handle')
      const { memory } = await runner.call('untilRan', { count })
      await runner.call('close')
      const ran = each(performance.now() - start)
      const watcher = await launch({ times: subject.subject === 'postgres' })
      await watcher.call('handle')
      await sleep(2 * SECOND)
      await watcher.call('queryTimes')
      await sleep(15 * SECOND)
      const { claim = 0 } = await watcher.call('queryTimes')
      return { set: each(set), random: each(random), ran, claim, memory }
    }),
}

const MEBI = 2 ** 20

/** Whether at most 50,000 deleted rows are left, which autovacuum has not removed yet. */
async function isVacuumed(address) {
  const [{ dead }] = await query(
    address,
    "SELECT n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'timers'",
  )
  return Number(dead) < 50_000
}

const health = {
  ...shared,
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
    { work: 'SQLite: growth', metric: 'growth', row: 'sqlite', kind: 'most', value: 64 },
    { work: 'SQLite: log', metric: 'log', row: 'sqlite', kind: 'most', value: 64 },
    {
      work: 'PostgreSQL: table and indexes',
      metric: 'times',
      row: 'postgres',
      kind: 'most',
      value: 1.8,
    },
  ],
  turns: 1,
  measure: (_call, { timers }, subject, processes, around) =>
    withProcesses(processes, subject, around, async (launch, address) => {
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
    }),
}

/** The parts of `npm run bench -- durable`. */
export const durableParts = [capacity, punctuality, burst, recovery, scale, health]
