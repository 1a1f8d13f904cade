/** Calls that are part of a transaction of the program, and `setMany`, which stores all or none. */
import { DurableTimers, postgres } from 'timeout-wheel/durable'
import { newDatabase, type TestDatabase } from './database.js'
import { all, codeOf, ignore, keysOf, until } from './helpers.js'

let database: TestDatabase
const opened: Record<string, DurableTimers> = {}
beforeAll(async () => {
  database = await newDatabase()
  opened.SQLite = await DurableTimers.open(':memory:')
  opened.PostgreSQL = await DurableTimers.open(postgres(database.client), { onError: ignore })
}, 60_000)
afterAll(async () => {
  for (const timers of Object.values(opened)) await timers.close()
  await database.close()
})

const delay = 1e9

it('sets, reads, clears and retries timers in a transaction, or not if it is rolled back', async () => {
  const timers = opened.PostgreSQL!
  timers.on('fails', () => Promise.reject(new Error('no')), { retries: 0 })
  await timers.set('fails', { delay: 0 })
  await timers.set('a', { key: 'there', delay })
  const ran: unknown[] = []
  timers.on('soon', ({ key }) => void ran.push(key))
  await until(async () => (await timers.stats()).failed === 1)
  const failed = await all(timers.failed())
  const has = async (key: string, db?: object) => (await timers.get('a', key, db)) !== undefined
  const work = (fails: boolean) =>
    database.transaction(async (client) => {
      const db = { db: client }
      expect(await has('there', db)).toBe(true)
      expect(await timers.clear('a', 'there', db)).toBe(true)
      expect(await timers.clear('a', 'there', db)).toBe(false)
      await timers.set('a', { key: 'one', delay, ...db })
      await timers.set('soon', { key: `${fails}`, delay: 0, ...db })
      await timers.setMany('a', [{ key: 'two', delay }, { delay }], db)
      expect(await timers.retry(failed[0]!.id, db)).toBe(true)
      expect([await has('there', db), await has('one', db), await has('two', db)]).toEqual([
        false,
        true,
        true,
      ])
      if (fails) throw new Error('rolled back')
    })
  await expect(work(true)).rejects.toThrow('rolled back')
  expect([await has('there'), await has('one'), await has('two')]).toEqual([true, false, false])
  expect(await all(timers.failed())).toHaveLength(1)
  await work(false)
  expect([await has('there'), await has('one'), await has('two')]).toEqual([false, true, true])
  // Once the transaction has been committed, the new timer runs, and the failed one runs again.
  const due = async () => (await all(timers.failed()))[0]?.due.getTime()
  await until(async () => ran.length > 0 && (await due()) !== failed[0]!.due.getTime())
  expect(ran).toEqual(['false'])
})

it('refuses every call in a transaction that an error has aborted, and says so', async () => {
  const timers = opened.PostgreSQL!
  const codes: unknown[] = []
  const work = database.transaction(async (client) => {
    const db = { db: client }
    await client.query('SELECT 1 / 0', []).catch(ignore)
    const calls = [
      () => timers.set('a', { key: 'aborted', delay, ...db }),
      () => timers.setMany('a', [{ delay }], db),
      () => timers.clear('a', 'aborted', db),
      () => timers.get('a', 'aborted', db),
      () => timers.retry('x', db),
    ]
    for (const call of calls) codes.push(await codeOf(call()))
    return timers.get('a', 'aborted', db)
  })
  await expect(work).rejects.toThrow(/^PostgreSQL: current transaction is aborted/)
  expect(codes).toEqual(Array(5).fill('ERR_DURABLE_TRANSACTION'))
})

it.each(['tenant', 'tenant, pg_catalog'])(
  'sets and runs timers whose transaction has the search_path %s',
  async (path) => {
    const timers = opened.PostgreSQL!
    // A table and a function that stand before those of the store and of PostgreSQL in the path.
    await database.query('CREATE SCHEMA IF NOT EXISTS tenant')
    await database.query('CREATE TABLE IF NOT EXISTS tenant.timers (label text)')
    await database.query(`CREATE OR REPLACE FUNCTION tenant.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS
    'BEGIN RAISE EXCEPTION ''of the tenant''; END'`)
    const ran = new Promise((resolve) => timers.on(`path ${path}`, ({ key }) => resolve(key)))
    await timers.set(`path ${path}`, { key: 'cleared', delay })
    await database.transaction(async (db) => {
      await db.query(`SET LOCAL search_path TO ${path}`, [])
      await timers.set(`path ${path}`, { key: 'set', delay: 0, db })
      expect(await timers.clear(`path ${path}`, 'cleared', { db })).toBe(true)
    })
    expect(await ran).toBe('set')
    expect(await database.query('SELECT * FROM tenant.timers')).toMatchObject({ rows: [] })
  },
)

it('keeps its path on a connection whose search_path a program has changed', async () => {
  const timers = opened.PostgreSQL!
  const setPath = (path: string) => database.transaction((db) => db.query(`SET search_path TO ${path}`, []))
  // On a server this is one connection of the pool, here the only one.
  await setPath('tenant, pg_catalog')
  try {
    const ran = new Promise((resolve) => timers.on('pooled', ({ key }) => resolve(key)))
    await timers.setMany('pooled', [{ key: 'k', delay: 0 }])
    expect(await ran).toBe('k')
    expect(await codeOf(timers.stats())).toBe('done')
  } finally {
    await setPath('DEFAULT')
  }
})

it('aborts the handler of a timer that a transaction clears when it is committed', async () => {
  const timers = opened.PostgreSQL!
  const started = new Promise<AbortSignal>((resolve) => {
    timers.on('runs', ({ signal }) => {
      resolve(signal as AbortSignal)
      return new Promise((end) => signal.addEventListener('abort', end))
    })
  })
  await timers.set('runs', { key: 'k', delay: 0 })
  const signal = await started
  await database.transaction(async (db) => {
    await timers.clear('runs', 'k', { db })
    expect(signal.aborted).toBe(false)
  })
  await until(() => signal.aborted)
  expect(signal.reason.code).toBe('ERR_DURABLE_REPLACED')
})

describe.each(['SQLite', 'PostgreSQL'])('setMany on %s', (store) => {
  const rows = (count: number, ifExists: 'throw' | 'replace' = 'throw') =>
    keysOf(count).map((key) => ({ key, delay, ifExists }))
  const count = async (name: string) => (await all(opened[store]!.list({ name }))).length

  it('stores all rows or none, beside other calls of the turn', async () => {
    const timers = opened[store]!
    await timers.set('all', { key: '1700', delay })
    const many = timers.setMany('all', rows(2_000)).catch((error) => error)
    await timers.set('all', { key: 'other', delay })
    expect(await many).toMatchObject({
      code: 'ERR_DURABLE_EXISTS',
      message: 'there is a timer "all" with the key "1700" already',
    })
    expect(await count('all')).toBe(2)
    await timers.clear('all', '1700')
    expect(await timers.setMany('all', rows(2_000))).toHaveLength(2_000)
    expect(await count('all')).toBe(2_001)
  })

  it.each([
    ['small ones where', 2_500],
    ['larger ones unless', 2_000],
  ])('says how many of more rows are stored, in parts: %s a handler runs them', async (name, stored) => {
    const timers = opened[store]!
    if (stored === 2_500) timers.on(name, () => {})
    await timers.set(name, { key: '2500', delay })
    const error = await timers.setMany(name, rows(6_000)).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'ERR_DURABLE_EXISTS', stored })
    expect(error.message).toContain(`already; the first ${stored} rows are stored`)
    expect(await count(name)).toBe(stored + 1)
    await timers.setMany(name, rows(4_500, 'replace'))
    expect(await count(name)).toBe(4_500)
  })
})
