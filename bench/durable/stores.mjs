/**
 * Adapters of this package, on two databases, and of job queues. `open(store, address, options)` resolves to:
 *
 * - `set(jobs)`         stores jobs `{ key, at, data }`, in one call if the package has one
 * - `handle(onStart)`   calls back with the data of each job that starts
 * - `close()`           ends what runs, and acknowledges it
 */
const NAME = 'work'
/** As many as the largest batch of the others. */
const CONCURRENCY = 1_000
/** A rival's shortest time between two looks, in milliseconds. */
const POLL = 500

const rival = async (name) => (await import('../../build/jobs/load.mjs')).load(name)

async function own(store, options = {}) {
  const { DurableTimers } = await import('timeout-wheel/durable')
  const timers = await DurableTimers.open(store, { maxHeld: 100_000, ...options })
  return {
    set: (jobs) => timers.setMany(NAME, jobs),
    handle: (onStart) => timers.on(NAME, ({ data }) => onStart(data), { concurrency: CONCURRENCY }),
    close: () => timers.close(),
  }
}

const makers = {
  sqlite: (address, options) => own(address, options),

  async postgres(address, { onQuery, ...options }) {
    const { default: pg } = await import('pg')
    const { postgres } = await import('timeout-wheel/durable')
    const pool = new pg.Pool({ connectionString: address, max: 4 })
    // A server that restarts closes connections.
    pool.on('error', () => {})
    const timed = onQuery === undefined ? pool : timing(pool, onQuery)
    const store = await own(postgres(timed), options)
    const close = async () => {
      await store.close()
      await pool.end()
    }
    return { ...store, close }
  },

  async 'pg-boss'(address, { notify = false }) {
    const { PgBoss } = await rival('pg-boss')
    const boss = new PgBoss({ connectionString: address, supervise: false, schedule: false })
    boss.on('error', () => {})
    await boss.start()
    await boss.createQueue(NAME)
    let worker
    return {
      async set(jobs) {
        const rows = jobs.map(({ key, at, data }) => ({ singletonKey: key, startAfter: new Date(at), data }))
        await boss.insert(NAME, rows)
        if (notify) for (const { at } of jobs) wake(at, () => boss.notifyWorker(worker))
      },
      async handle(onStart) {
        const seconds = POLL / 1_000
        const options = { batchSize: CONCURRENCY, pollingIntervalSeconds: seconds, burstWhenBatchFull: true }
        worker = await boss.work(NAME, options, async (jobs) => {
          for (const { data } of jobs) onStart(data)
        })
      },
      close: () => boss.stop({ graceful: true, timeout: 5_000 }),
    }
  },

  async bullmq(address) {
    const { Queue, Worker } = await rival('bullmq')
    const connection = { host: '127.0.0.1', port: Number(address) }
    const defaultJobOptions = { removeOnComplete: true }
    const queue = new Queue(NAME, { connection, defaultJobOptions })
    await queue.waitUntilReady()
    const toJob = ({ key, at, data }) => {
      const delay = Math.max(0, at - Date.now())
      return { name: NAME, data, opts: { jobId: key, delay } }
    }
    let worker
    return {
      set: (jobs) => queue.addBulk(jobs.map(toJob)),
      async handle(onStart) {
        worker = new Worker(NAME, async ({ data }) => onStart(data), { connection, concurrency: 100 })
        worker.on('error', () => {})
        await worker.waitUntilReady()
      },
      async close() {
        await worker?.close()
        await queue.close()
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
    let runner
    return {
      set: (jobs) => utils.addJobs(jobs.map(toJob)),
      async handle(onStart) {
        const taskList = { [NAME]: async (data) => onStart(data) }
        const settings = { concurrency: 100, pollInterval: POLL, noHandleSignals: true }
        runner = await run({ ...shared, ...settings, taskList })
      },
      async close() {
        await runner?.stop()
        await utils.release()
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
      close: () => agenda.stop(),
    }
  },
}

const timing = (client, onQuery) => ({
  async query(text, params) {
    const start = performance.now()
    const result = await client.query(text, params)
    onQuery(text, performance.now() - start)
    return result
  },
})

const planned = new Set()
async function wake(at, call) {
  if (planned.has(at)) return
  planned.add(at)
  const { setTimeout } = await import('timeout-wheel')
  const run = () => {
    planned.delete(at)
    call()
  }
  setTimeout(run, Math.max(1, at - Date.now() + 1))
}

export const open = (store, address, options) => makers[store](address, options)
