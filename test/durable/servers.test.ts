/** What needs a PostgreSQL server, which the suite `durable` starts: isolation, pg, pgbouncer, pg-boss woken by a timer, and the example. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from '@jest/globals'
import pg from 'pg'
import { DurableTimers, type PostgresClient, postgres } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'
import { AGES, peer } from './peers.js'

const {
  TIMEOUT_WHEEL_POSTGRES: url,
  TIMEOUT_WHEEL_PGBOUNCER: bouncer,
  TIMEOUT_WHEEL_JOBS: jobs,
} = process.env
const onServer = url === undefined ? it.skip : it

onServer(
  'sets, clears and runs timers of two processes behind pgbouncer, which gives each statement another connection',
  async () => {
    const pools = [1, 2].map(() => new pg.Pool({ connectionString: bouncer!, max: 3 }))
    const options = { table: 'bounced', lease: 3_000 }
    const opened = pools.map((pool) => DurableTimers.open(postgres(pool), options))
    const [setter, runner] = await Promise.all(opened)
    const ran: unknown[] = []
    runner!.on('a', ({ key }) => void ran.push(key))
    const keys = Array.from({ length: 200 }, (_, i) => `key${i}`)
    const rows = keys.map((key) => ({ key, delay: 2_000 }))
    await setter!.setMany('a', rows)
    await setter!.set('a', { key: 'cleared', delay: 60_000 })
    expect(await runner!.clear('a', 'cleared')).toBe(true)
    while ((await setter!.stats()).pending > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    expect(ran.sort()).toEqual(keys.sort())
    await Promise.all([setter!.close(), runner!.close()])
    await Promise.all(pools.map((pool) => pool.end()))
  },
)

onServer('lets its pool end before it is closed', async () => {
  const pool = new pg.Pool({ connectionString: url! })
  const timers = await DurableTimers.open(postgres(pool), { table: 'ended', onError: () => {} })
  timers.on('a', () => {})
  await timers.set('a', { key: 'k', delay: 2_000 })
  // The connection that listens is one of the pool's.
  while (Reflect.get(pool, 'totalCount') < 2) await sleep(10)
  const began = performance.now()
  await pool.end()
  expect(await timers.set('a', { delay: 1 }).catch(({ code }) => code)).toBe('ERR_DURABLE_UNAVAILABLE')
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

const withOption = (option: string): string => `${url}?options=${encodeURIComponent(`-c ${option}`)}`

onServer(
  'opens a new store in ten processes at once, and sets hot keys, if transactions are SERIALIZABLE',
  async () => {
    const connectionString = withOption('default_transaction_isolation=serializable')
    const pools = Array.from({ length: 10 }, () => new pg.Pool({ connectionString, max: 3 }))
    const options = { schema: 'serial', table: 'serial', onError: () => {} }
    const opened = await Promise.all(pools.map((pool) => DurableTimers.open(postgres(pool), options)))
    for (const timers of opened) timers.on('a', () => {})
    const sets = opened.flatMap((timers, i) =>
      Array.from({ length: 165 }, async (_, n) => {
        await sleep(n * 3 + i / 3)
        return timers.set('a', { key: `${n % 20}`, delay: 100 })
      }),
    )
    expect(await Promise.all(sets)).toHaveLength(1_650)
    await Promise.all(opened.map((timers) => timers.close()))
    await Promise.all(pools.map((pool) => pool.end()))
  },
)

onServer('runs a timer on time whose replacement was rolled back while it was due', async () => {
  const database = await newDatabase()
  const pool = database.client
  const setter = await DurableTimers.open(postgres(pool))
  const runner = await DurableTimers.open(postgres(pool))
  const ended = new Promise<number>((resolve) => {
    runner.on('a', () => resolve(Date.now()))
  })
  await setter.set('a', { key: 'k', delay: 8_000 })
  const db = await (pool as unknown as { connect(): Promise<Connected> }).connect()
  await db.query('BEGIN', [])
  // Its row is locked while the other process claims it.
  await setter.set('a', { key: 'k', delay: 1e6, db })
  await sleep(8_500)
  await db.query('ROLLBACK', [])
  const end = Date.now()
  db.release()
  expect((await ended) - end).toBeLessThan(1_000)
  await Promise.all([setter.close(), runner.close()])
  await database.close()
})

type Connected = PostgresClient & { release(): void }
onServer.each(AGES)('works through the %s pg, also after the loss of all connections', async (age) => {
  const { Pool } = require(await peer('pg', age)) as typeof pg
  const connectionString = withOption(`application_name=${age}`)
  const pools = [1, 2].map(() => new Pool({ connectionString, max: 3 }))
  for (const pool of pools) pool.on('error', () => {})
  const options = { table: `pg_${age}`, onError: () => {} }
  const opening = pools.map((pool) => DurableTimers.open(postgres(pool), options))
  const [setter, runner] = (await Promise.all(opening)) as [DurableTimers, DurableTimers]
  const ran: unknown[] = []
  runner.on('a', ({ key }) => void ran.push(key))
  await setter.set('a', { key: 'first', delay: 100 })
  const db = await (pools[0] as unknown as { connect(): Promise<Connected> }).connect()
  await db.query('BEGIN', [])
  await setter.set('a', { key: 'rolled back', delay: 100, db })
  await db.query('ROLLBACK', [])
  db.release()
  while (!ran.includes('first')) await sleep(10)
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()`
  await pools[0]!.query(end, [age])
  // The pool may give a connection once more that was lost.
  const set = (): Promise<unknown> => setter.set('a', { key: 'second', delay: 100 }).catch(set)
  await set()
  while (!ran.includes('second')) await sleep(10)
  expect(new Set(ran)).toEqual(new Set(['first', 'second']))
  await Promise.all([setter.close(), runner.close()])
  await Promise.all(pools.map((pool) => pool.end()))
})

// pg-boss looks only each half a minute here, and the test waits for less.
onServer('starts a job of pg-boss when it is due, by the recipe of docs/integrations.md', async () => {
  const { code } = samplesOf('docs/integrations.md').find((sample) => sample.code.includes('notifyWorker'))!
  const args = [join(__dirname, 'pg-boss-child.mjs'), jobs!, url!, code]
  const text = await outputOf(process.execPath, args, { limit: 60_000 })
  expect(JSON.parse(text)).toEqual({ ran: ['first', 'second'], isEarly: false })
})

const FOLDERS = { 'a file': temporaryFolder(), PostgreSQL: temporaryFolder() }
onServer.each(Object.entries(FOLDERS))(
  'the example shows reminders in Chromium that outlive a killed server, in %s',
  async (where, folder) => {
    const args = [join(__dirname, 'reminders-child.mjs'), folder, ...(where === 'a file' ? [] : [url!])]
    const text = await outputOf(process.execPath, args, { limit: 90_000 })
    expect(JSON.parse(text)).toEqual({ arrived: ['after a kill', 'at once'], waiting: [] })
  },
)
