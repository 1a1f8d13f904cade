/**
 * Adapters of this package, on two databases, and of job queues. `stores[name](address, options)` resolves to:
 *
 * - `set(jobs)`         stores jobs `{ key, at, data }`, in one call if the package has one
 * - `handle(onStart)`   calls back with the data of each job that starts
 * - `close()`           of this package: ends what runs, and acknowledges it
 * - `claims`            of PostgreSQL with the option `times`: the times of the calls that claim, in milliseconds
 */
const NAME = 'work'
/** As many as the largest batch of the others. */
const CONCURRENCY = 1_000
/** A rival's shortest time between two looks, in milliseconds. */
const POLL = 500

const rival = async (name) => (await import('../../build/jobs/load.mjs')).load(name)

async function own(store, options) {
  const { DurableTimers } = await import('timeout-wheel/durable')
  const timers = await DurableTimers.open(store, { onError: () => {}, ...options })
  return {
    set: (jobs) => timers.setMany(NAME, jobs),
    handle: (onStart) => timers.on(NAME, ({ data }) => onStart(data), { concurrency: CONCURRENCY }),
    close: () => timers.close(),
    timers,
    async besideHanging(count) {
      timers.on('hangs', () => new Promise(() => {}))
      const late = new Promise((resolve) => timers.on('beside', ({ due }) => resolve(Date.now() - due)))
      await timers.setMany(
        'hangs',
        Array.from({ length: count }, () => ({ delay: 0 })),
      )
      await timers.set('beside', { key: 'one', delay: 1_000 })
      return late
    },
  }
}

const THREE_DAYS = 3 * 24 * 3_600_000

/** Runs transactions on four connections. Resolves to how many there were in a second. */
async function transactionsOf(pool, timers, seconds) {
  let done = 0
  const end = performance.now() + seconds * 1_000
  const lane = async (_, n) => {
    const db = await pool.connect()
    for (; performance.now() < end; done++) {
      await db.query('BEGIN')
      await timers.set('pay', { key: `${n}-${done}`, delay: THREE_DAYS, db })
      await db.query('COMMIT')
    }
    db.release()
  }
  await Promise.all(Array.from({ length: 4 }, lane))
  return done / seconds
}

/** A client of PostgreSQL that times the calls that claim. */
const timing = (client, claims) => ({
  async query(text, params) {
    const start = performance.now()
    const result = await client.query(text, params)
    if (text.includes('_claim_1"(')) claims.push(performance.now() - start)
    return result
  },
})

export const stores = {
  sqlite: own,

  async postgres(address, { times, ...options }) {
    const { default: pg } = await import('pg')
    const { postgres } = await import('timeout-wheel/durable')
    const pool = new pg.Pool({ connectionString: address, max: 4 })
    // A server that restarts closes connections.
    pool.on('error', () => {})
    const claims = []
    const store = await own(postgres(times ? timing(pool, claims) : pool), options)
    const close = async () => {
      await store.close()
      await pool.end()
    }
    const transactions = async (seconds) => {
      const own = new pg.Pool({ connectionString: address, max: 4 })
      const rate = await transactionsOf(own, store.timers, seconds)
      await own.end()
      return rate
    }
    return { ...store, close, claims, transactions }
  },

  async 'pg-boss'(address, { notify }) {
    const { PgBoss } = await rival('pg-boss')
    const { setTimeout } = notify ? await import('timeout-wheel') : {}
    const boss = new PgBoss({ connectionString: address, supervise: false, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue(NAME)
    let worker
    return {
      async set(jobs) {
        const rows = jobs.map(({ key, at, data }) => ({ singletonKey: key, startAfter: new Date(at), data }))
        await boss.insert(NAME, rows)
        const wake = () => boss.notifyWorker(worker)
        if (notify) for (const { at } of jobs) setTimeout(wake, Math.max(1, at - Date.now() + 1))
      },
      async handle(onStart) {
        const how = { batchSize: CONCURRENCY, pollingIntervalSeconds: POLL / 1_000, burstWhenBatchFull: true }
        worker = await boss.work(NAME, how, async (jobs) => {
          for (const { data } of jobs) onStart(data)
        })
      },
    }
  },

  async bullmq(address) {
    const { Queue, Worker } = await rival('bullmq')
    const connection = { host: '127.0.0.1', port: Number(address) }
    const queue = new Queue(NAME, { connection, defaultJobOptions: { removeOnComplete: true } })
    await queue.waitUntilReady()
    const toJob = ({ key, at, data }) => {
      const delay = Math.max(0, at - Date.now())
      return { name: NAME, data, opts: { jobId: key, delay } }
    }
    return {
      set: (jobs) => queue.addBulk(jobs.map(toJob)),
      async handle(onStart) {
        const worker = new Worker(NAME, async ({ data }) => onStart(data), { connection, concurrency: 100 })
        worker.on('error', () => {})
        await worker.waitUntilReady()
      },
    }
  },

  async 'graphile-worker'(address) {
    const { Logger, makeWorkerUtils, run, runMigrations } = await rival('graphile-worker')
    const shared = { connectionString: address, logger: new Logger(() => () => {}) }
    await runMigrations(shared)
    const utils = await makeWorkerUtils(shared)
    const toJob = ({ key, at, data }) => ({
      ...{ identifier: NAME, jobKey: key, runAt: new Date(at), payload: data, maxAttempts: 5 },
    })
    return {
      set: (jobs) => utils.addJobs(jobs.map(toJob)),
      async handle(onStart) {
        const taskList = { [NAME]: async (data) => onStart(data) }
        await run({ ...shared, concurrency: 100, pollInterval: POLL, noHandleSignals: true, taskList })
      },
    }
  },

  async agenda(address) {
    const { Agenda } = await rival('agenda')
    const { PostgresBackend } = await rival('@agendajs/postgres-backend')
    const agenda = new Agenda({
      backend: new PostgresBackend({ connectionString: address }),
      processEvery: POLL,
      defaultConcurrency: 100,
      maxConcurrency: 100,
      removeOnComplete: true,
    })
    agenda.on('error', () => {})
    await agenda.ready
    return {
      set: (jobs) => Promise.all(jobs.map(({ at, data }) => agenda.schedule(new Date(at), NAME, data))),
      async handle(onStart) {
        agenda.define(NAME, async ({ attrs }) => onStart(attrs.data))
        await agenda.start()
      },
    }
  },
}
