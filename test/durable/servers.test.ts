/** What needs a PostgreSQL server, which the suite `durable` starts: isolation, pg, pgbouncer, pg-boss woken by a timer, and the example. */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type DurableOptions, DurableTimers, type PostgresClient, postgres } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { START } from '../../lib/durable/common/rows.js'
import type { Change } from '../../lib/durable/common/store.js'
import { openPostgres } from '../../lib/durable/postgres/postgres-store.js'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'
import { AGES, all, codeOf, ignore, keysOf, peer, rowsOf, until } from './helpers.js'

const {
  TIMEOUT_WHEEL_POSTGRES: url,
  TIMEOUT_WHEEL_PGBOUNCER: bouncer,
  TIMEOUT_WHEEL_JOBS: jobs,
  TIMEOUT_WHEEL_ORMS: orms,
} = process.env
const onServer = url === undefined ? it.skip : it
const folder = temporaryFolder()

const withOption = (option: string): string => `${url}?options=${encodeURIComponent(`-c ${option}`)}`

/** Works with stores of so many processes. */
async function inProcesses(
  count: number,
  connectionString: string,
  options: DurableOptions,
  work: (stores: DurableTimers[], pool: InstanceType<typeof pg.Pool>) => Promise<void>,
  Pool = pg.Pool,
): Promise<void> {
  const pools = Array.from({ length: count }, () => new Pool({ connectionString, max: 3 }))
  for (const pool of pools) pool.on('error', ignore)
  const stores = await Promise.all(
    pools.map((pool) => DurableTimers.open(postgres(pool), { onError: ignore, ...options })),
  )
  await work(stores, pools[0]!)
  await Promise.all(stores.map((timers) => timers.close()))
  await Promise.all(pools.map((pool) => pool.end()))
}

onServer(
  'sets, clears and runs timers of two processes behind pgbouncer, which gives each statement another connection',
  () =>
    inProcesses(2, bouncer!, { table: 'bounced', lease: 3_000 }, async ([setter, runner]) => {
      const ran: unknown[] = []
      runner!.on('a', ({ key }) => void ran.push(key))
      await setter!.setMany('a', rowsOf(keysOf(200), 2_000))
      await setter!.set('a', { key: 'cleared', delay: 60_000 })
      expect(await runner!.clear('a', 'cleared')).toBe(true)
      await until(async () => (await setter!.stats()).pending === 0)
      expect(ran.sort()).toEqual(keysOf(200).sort())
    }),
)

onServer(
  'opens a new store in ten processes at once, and sets hot keys, if transactions are SERIALIZABLE',
  () =>
    inProcesses(
      10,
      withOption('default_transaction_isolation=serializable'),
      { schema: `serial_${process.pid}` },
      async (stores) => {
        for (const timers of stores) timers.on('a', ignore)
        const sets = stores.flatMap((timers, i) =>
          Array.from({ length: 165 }, async (_, n) => {
            await sleep(n * 3 + i / 3)
            return timers.set('a', { key: `${n % 20}`, delay: 100 })
          }),
        )
        expect(await Promise.all(sets)).toHaveLength(1_650)
      },
    ),
)

onServer('sets one key, and new keys in opposite orders, in eight processes: none meets a deadlock', () => {
  const schema = `opposite_${process.pid}`
  // Each insertion takes a while, so that the statements meet.
  const slow = `CREATE FUNCTION ${schema}.slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END';
    CREATE TRIGGER slow BEFORE INSERT ON ${schema}.timers FOR EACH ROW EXECUTE FUNCTION ${schema}.slow()`
  // A deadlock would be found after the time for which a change waits.
  return inProcesses(8, withOption('deadlock_timeout=60s'), { schema }, async (stores, pool) => {
    for (const statement of slow.split(/(?<=END');/)) await pool.query(statement, [])
    const rows = rowsOf(keysOf(20), 1e6)
    const many = stores.map((timers, i) => timers.setMany('many', i % 2 === 0 ? rows : [...rows].reverse()))
    for (const stored of await Promise.all(many)) expect(stored).toHaveLength(20)
    await Promise.all(stores.map((timers) => timers.set('a', { key: 'one', delay: 1e6 })))
    expect(await all(stores[0]!.list({ name: 'a' }))).toHaveLength(1)
  })
})

onServer(
  'lets `setMany` wait for a row that another transaction has locked, as long as `set` does',
  async () => {
    const database = await newDatabase()
    const timers = await DurableTimers.open(postgres(database.client))
    const rows = rowsOf(['k', 'l'], 1e6)
    await timers.setMany('a', rows)
    let stored: unknown
    await database.transaction(async (db) => {
      await timers.clear('a', 'l', { db })
      stored = timers.setMany('a', rows).catch((error) => error)
      await sleep(500)
    })
    expect(await stored).toHaveLength(2)
    for (const one of [timers, database]) await one.close()
  },
)

onServer(
  'claims nothing that a process owns under a new number, also if it gets that during the claim',
  async () => {
    const database = await newDatabase()
    const { call, close } = await openPostgres(database.client, { schema: 'timeout_wheel', table: 'timers' })
    const more = { lease: 60_000, horizon: 1_000, place: { boot: null, space: null, pid: 1, began: null } }
    for (const owner of [1, 2]) await call('join', { owner, former: [], held: [], ...more })
    const row = { name: 'a', id: 'id', due: 1 }
    const change: Change = { ...row, key: null, data: null, rule: null, owner: 1, ifExists: 'replace' }
    await call('change', { owner: 1, changes: [change], isWhole: true })
    let claimed: unknown
    await database.transaction(async (db) => {
      // The claim waits for the lock when it looks for rows.
      await db.query('LOCK TABLE timeout_wheel.timers_paused', [])
      const names = [{ name: 'a', low: START, horizon: 0, most: 10, bytes: 1_000 }]
      claimed = call('claim', { owner: 2, names })
      const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'timeout_wheel.timers_paused'::regclass`
      await until(async () => ((await database.query(waiting)) as { rows: unknown[] }).rows.length > 0)
      await call('join', { owner: 3, former: [1], held: [row], ...more })
    })
    expect(await claimed).toMatchObject([{ rows: [] }])
    await close()
    await database.close()
  },
)

onServer('lets its pool end before it is closed', async () => {
  const pool = new pg.Pool({ connectionString: url! })
  const timers = await DurableTimers.open(postgres(pool), { table: 'ended', onError: ignore })
  timers.on('a', ignore)
  await timers.set('a', { key: 'k', delay: 2_000 })
  // The connection that listens is one of the pool's.
  await until(() => Reflect.get(pool, 'totalCount') >= 2)
  const began = performance.now()
  await pool.end()
  expect(await codeOf(timers.set('a', { delay: 1 }))).toBe('ERR_DURABLE_UNAVAILABLE')
  await timers.close()
  expect(performance.now() - began).toBeLessThan(4_000)
})

onServer.each(['LATIN1', 'SQL_ASCII'])(
  'refuses a database with the encoding %s, which lacks characters',
  async (encoding) => {
    const database = await newDatabase(encoding)
    const message = `durable timers need a database with the encoding UTF8, this one has ${encoding}`
    await expect(DurableTimers.open(postgres(database.client))).rejects.toThrow(message)
    await database.close()
  },
)

onServer('runs a timer on time whose replacement was rolled back while it was due', async () => {
  const database = await newDatabase()
  const [setter, runner] = [1, 2].map(() => DurableTimers.open(postgres(database.client)))
  const timers = await setter!
  const ran = new Promise<unknown>((resolve) => runner!.then((one) => one.on('a', () => resolve(Date.now()))))
  await timers.set('a', { key: 'k', delay: 8_000 })
  let end = 0
  const work = async (db: PostgresClient) => {
    // Its row is locked while the other process claims it.
    await timers.set('a', { key: 'k', delay: 1e6, db })
    await sleep(8_500)
    end = Date.now()
    throw new Error('rolled back')
  }
  await expect(database.transaction(work)).rejects.toThrow('rolled back')
  expect(Number(await ran) - end).toBeLessThan(1_000)
  for (const one of [timers, await runner!, database]) await one.close()
})

onServer.each(AGES)('works through the %s pg, also after the loss of all connections', async (age) => {
  const { Pool } = require(await peer('pg', age)) as typeof pg
  const work = async ([setter, runner]: DurableTimers[], pool: InstanceType<typeof Pool>) => {
    const ran: unknown[] = []
    runner!.on('a', ({ key }) => void ran.push(key))
    await setter!.set('a', { key: 'first', delay: 100 })
    await until(() => ran.includes('first'))
    const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`
    await pool.query(end, [age])
    // The pool may give a connection once more that was lost.
    const set = (): Promise<unknown> => setter!.set('a', { key: 'second', delay: 100 }).catch(set)
    await set()
    await until(() => ran.includes('second'))
    expect(new Set(ran)).toEqual(new Set(['first', 'second']))
  }
  await inProcesses(2, withOption(`application_name=${age}`), { table: `pg_${age}` }, work, Pool)
})

// By the recipe of docs/durable.md.
onServer('stores timers in transactions of Knex, Kysely, postgres.js, Prisma and Drizzle', async () => {
  const database = await newDatabase()
  const { code } = samplesOf('docs/durable.md').find((sample) => sample.code.includes('ofDrizzle'))!
  const args = ['--no-warnings', join(__dirname, 'orms-child.mjs'), orms!, database.url!, code]
  const text = await outputOf(process.execPath, args, { limit: 60_000 })
  const stored = [true, 'committed', "it's $1 ?"]
  const all = ['ofKnex', 'ofKysely', 'ofPostgresJs', 'ofPrisma', 'ofDrizzle'].map((name) => [name, stored])
  expect(JSON.parse(text)).toEqual({ ...Object.fromEntries(all), told: 'ran' })
  await database.close()
})

// pg-boss looks only each half a minute here, and the test waits for less.
onServer('starts a job of pg-boss when it is due, by the recipe of docs/integrations.md', async () => {
  const { code } = samplesOf('docs/integrations.md').find((sample) => sample.code.includes('notifyWorker'))!
  const args = [join(__dirname, 'pg-boss-child.mjs'), jobs!, url!, code]
  const text = await outputOf(process.execPath, args, { limit: 60_000 })
  expect(JSON.parse(text)).toEqual({ ran: ['first', 'second'], isEarly: false })
})

onServer.each(['a file', 'PostgreSQL'])(
  'the example shows reminders in Chromium that outlive a killed server, in %s',
  async (where) => {
    const database = await newDatabase()
    const args = [join(__dirname, 'reminders-child.mjs'), mkdtempSync(join(folder, 'example-'))]
    if (where === 'PostgreSQL') args.push(database.url!)
    const text = await outputOf(process.execPath, args, { limit: 170_000 })
    expect(JSON.parse(text)).toEqual({ arrived: ['after a kill', 'at once'], waiting: [] })
    await database.close()
  },
)
