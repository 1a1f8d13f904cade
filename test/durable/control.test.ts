/** What programs control beside setting and clearing: names, attempts, many timers at once, and what they see of schedules. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DurableOptions, type DurableRun, manualClock, postgres } from 'timeout-wheel/durable'
import { openPostgres } from '../../lib/durable/postgres/postgres-store.js'
import { MIGRATIONS as OF_POSTGRES } from '../../lib/durable/postgres/schema.js'
import { MIGRATIONS as OF_SQLITE } from '../../lib/durable/sqlite/connection.js'
import { makeDatabase } from '../../lib/durable/sqlite/database.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase, type TestDatabase } from './database.js'
import { all, codeOf, fail, ignore, keysOf, openStores, rowsOf, until } from './helpers.js'

const path = join(temporaryFolder(), 'timers.db')
const { open: openStore } = openStores()
let database: TestDatabase
beforeAll(async () => {
  database = await newDatabase()
}, 60_000)
afterAll(() => database.close())

const START = new Date('2027-01-31')
let tables = 0
const newTable = () => `t${++tables}`

describe.each(['SQLite', 'PostgreSQL'])('%s', (store) => {
  const openTable = (table: string, options: DurableOptions = {}) => {
    const address = store === 'SQLite' ? path : postgres(database.client)
    return openStore(address, { table, onError: ignore, ...options })
  }
  /** A store of its own, with time that the test moves. */
  const open = () => openTable(newTable(), { clock: manualClock(START) })
  /** Changes the store, as a person may. */
  async function execute(sqlite: string, others: string): Promise<void> {
    if (store === 'PostgreSQL') return void (await database.query(others))
    const file = new DatabaseSync(path)
    file.exec(sqlite)
    file.close()
  }

  it('brings a store of an earlier version to its own, which processes of that version share, and refuses a later one', async () => {
    const table = newTable()
    const early = await openTable(table)
    await early.set('a', { key: 'before', delay: 1e9 })
    OF_SQLITE.push((name) => `ALTER TABLE "${name}" ADD COLUMN more TEXT DEFAULT 'x'`)
    OF_POSTGRES.push(`ALTER TABLE @ ADD COLUMN more text DEFAULT 'x'`)
    if (store === 'SQLite') makeDatabase({ path, table, now: Date.now }).close()
    else await (await openPostgres(database.client, { schema: 'timeout_wheel', table })).close()
    OF_SQLITE.pop()
    OF_POSTGRES.pop()
    await early.set('a', { key: 'after', delay: 1e9 })
    await execute(
      `UPDATE ${table} SET key = key || more`,
      `UPDATE timeout_wheel.${table} SET key = key || more`,
    )
    expect((await all(early.list())).map(({ key }) => key)).toEqual(['beforex', 'afterx'])
    const message = `the store ${table} has version 2, which a newer timeout-wheel has written; this one knows 1`
    await expect(openTable(table)).rejects.toMatchObject({
      code: 'ERR_DURABLE_STORE',
      message: expect.stringContaining(message),
    })
  })

  it('refuses a change, and tries an acknowledgement again, without the others of the same turn', async () => {
    const errors = new Set<string>()
    const table = newTable()
    const timers = await openTable(table, { onError: ({ message }) => errors.add(message) })
    const trigger = (what: string, column: string) =>
      `CREATE TRIGGER ${table}_${what} BEFORE ${what} ON ${table} WHEN NEW.${column} = 'bad' BEGIN SELECT RAISE(ABORT, 'refused'); END;`
    const constraint = (column: string) =>
      `ALTER TABLE timeout_wheel.${table} ADD CONSTRAINT refused_${column} CHECK (${column} <> 'bad')`
    await execute(trigger('INSERT', 'key'), constraint('key'))
    await execute(trigger('UPDATE', 'error'), constraint('error'))
    const sets = ['b', 'bad', 'c'].map((key) => codeOf(timers.set('waits', { key, delay: 1e6 })))
    expect(await Promise.all(sets)).toEqual(['done', 'ERR_DURABLE_UNAVAILABLE', 'done'])
    const ran: unknown[] = []
    timers.on('runs', ({ key }) => {
      ran.push(key)
      if (key === 'fails') throw new Error('bad')
    })
    await timers.setMany('runs', rowsOf(['d', 'fails', 'e']))
    await until(async () => (await timers.stats()).pending === 3 && errors.size === 2)
    expect([ran, [...errors]]).toEqual([
      ['d', 'fails', 'e'],
      ['bad', expect.stringMatching(/refused/)],
    ])
  })

  it('ends the work of a handler, gives back what it holds, and takes another one', async () => {
    const table = newTable()
    const [first, second] = [await openTable(table), await openTable(table)]
    const ran: string[] = []
    const handle = (who: string) => (run: DurableRun) => void ran.push(`${who} ${run.key}`)
    first.on('a', handle('first'))
    await first.set('a', { key: 'k', delay: 400 })
    expect([first.off('a'), first.off('a'), first.off('b')]).toEqual([true, false, false])
    second.on('a', handle('second'))
    await until(() => ran.length === 1)
    second.off('a')
    first.on('a', handle('again'))
    await second.set('a', { key: 'l', delay: 0 })
    await until(() => ran.length === 2)
    expect(ran).toEqual(['second k', 'again l'])
    expect(() => first.on('a', ignore)).toThrow(expect.objectContaining({ code: 'ERR_DURABLE_HANDLER' }))
  })

  it('pauses a name in one process, and in all', async () => {
    const table = newTable()
    const [first, second] = [await openTable(table), await openTable(table)]
    const ran: string[] = []
    const handle = (who: string) => (run: DurableRun) => void ran.push(`${who} ${run.key}`)
    first.on('a', handle('first'))
    second.on('a', handle('second'))
    first.on('other', handle('other'))
    await second.pause('a')
    await second.set('a', { key: 'k', delay: 0 })
    await until(() => ran.length === 1)
    await second.resume('a')
    await first.pause('a', { everywhere: true })
    for (const timers of [first, second]) await timers.set('a', { key: 'waits', delay: 0 })
    // A process that comes later, too.
    const third = await openTable(table)
    third.on('a', handle('third'))
    await first.set('other', { key: 'l', delay: 50 })
    await until(() => ran.length === 2)
    await sleep(200)
    expect(ran).toEqual(['first k', 'other l'])
    await third.resume('a', { everywhere: true })
    await until(() => ran.length === 3)
    expect(ran[2]).toMatch(/ waits$/)
  })

  it('tries again after the time that a handler says, and never if it says so', async () => {
    const timers = await open()
    const seen: unknown[] = []
    const handler = (run: DurableRun) => {
      seen.push([run.key, run.attempt, run.due.getTime()])
      if (run.key === 'later' && run.attempt < 4) run.retryIn(10_000)
      if (run.key === 'waits' && run.attempt === 1) {
        run.retryIn(10_000)
        throw new Error('busy')
      }
      if (run.key === 'never') run.fail('no such user')
      expect(() => run.retryIn(-1)).toThrow(/^ms must be a number from 0 to \d+, got -1$/)
    }
    timers.on('a', handler, { retries: 1 })
    await timers.setMany('a', rowsOf(['later', 'waits', 'never']))
    await timers.advance(9_999)
    expect(seen).toHaveLength(3)
    await timers.advance(30_000)
    const due = START.getTime()
    expect(seen.sort()).toEqual([
      ...[1, 2, 3, 4].map((attempt) => ['later', attempt, due]),
      ['never', 1, due],
      ...[1, 2].map((attempt) => ['waits', attempt, due]),
    ])
    expect(await all(timers.failed())).toMatchObject([{ key: 'never', error: 'no such user' }])
    expect(await timers.stats()).toMatchObject({ pending: 0, failed: 1, failures: 2, ran: 2 })
  })

  it('gives a manual clock to one store at a time, and moves it no further when that store closes', async () => {
    const table = newTable()
    const clock = manualClock(START)
    const opening = openTable(table, { clock })
    await expect(openTable(table, { clock })).rejects.toThrow('must be one that no other open store has')
    const timers = await opening
    timers.on('a', () => new Promise(() => {}))
    await timers.setMany('a', [
      { key: 'hangs', delay: 10 },
      { key: 'waits', delay: 5_000 },
    ])
    const moved = timers.advance(10_000)
    await until(async () => (await timers.stats()).running === 1)
    await timers.close({ timeout: 0 })
    await moved
    const later = await openTable(table, { clock })
    expect((await later.set('b', { delay: 0 })).due.getTime()).toBe(START.getTime() + 10)
  })

  it('does not abort a handler that sets or clears its own key', async () => {
    const timers = await open()
    const aborted: unknown[] = []
    timers.on('a', async ({ key, attempt, signal, name }) => {
      if (attempt > 1 || aborted.length >= 3) return
      await sleep(1)
      if (key === 'cleared') await timers.clear(name, key)
      else await timers.set(name, { key: key!, delay: key === 'set' ? 1_000 : 2_000 })
      aborted.push(signal.aborted)
    })
    for (const key of ['set', 'set later', 'cleared']) await timers.set('a', { key, delay: 0 })
    await timers.advance(500)
    expect(aborted).toEqual([false, false, false])
    expect((await all(timers.list())).map(({ key }) => key)).toEqual(['set', 'set later'])
    await timers.advance(2_000)
    expect((await timers.stats()).pending).toBe(0)
  })

  it('tries a timer again as often as that says itself', async () => {
    const timers = await open()
    const attempts: Record<string, number> = {}
    const handler = ({ key, attempt }: DurableRun) => {
      attempts[key!] = attempt
      return fail()
    }
    timers.on('a', handler, { retries: 1, backoff: 1 })
    await timers.set('a', { key: 'usual', delay: 0 })
    await timers.set('a', { key: 'never', delay: 0, retries: 0 })
    await timers.set('a', { key: 'often', delay: 0, retries: 3 })
    await timers.advance(1_000)
    expect(attempts).toEqual({ usual: 2, never: 1, often: 4 })
  })

  it('keeps a timer as failed whose rule a person has made unreadable, and rejects only the call that finds such data', async () => {
    const timers = await open()
    timers.on('a', () => fail(), { retries: 1, backoff: 1 })
    // It is not held yet.
    await timers.set('a', { key: 'k', delay: 10_000, retries: 3 })
    const edit = (what: string) =>
      execute(`UPDATE t${tables} SET ${what} = '{'`, `UPDATE timeout_wheel.t${tables} SET ${what} = '{'`)
    await edit('rule')
    await timers.advance(20_000)
    expect(await all(timers.failed())).toMatchObject([{ key: 'k', error: expect.stringMatching(/JSON/) }])
    await timers.set('b', { key: 'edited', delay: 1e6, data: 1 })
    await edit('data')
    const sets = ['edited', 'other'].map((key) => timers.set('b', { key, delay: 1e6, ifExists: 'keep' }))
    expect(await Promise.allSettled(sets)).toMatchObject([
      { status: 'rejected', reason: { name: 'SyntaxError' } },
      { status: 'fulfilled', value: { key: 'other' } },
    ])
  })

  it('clears timers by name, by prefix and by id', async () => {
    const timers = await open()
    await timers.setMany(
      'a',
      keysOf(1_200).map((key, i) => ({ key: `${i % 2 ? 'odd' : 'even'}-${key}`, delay: 1e6 })),
    )
    const { id } = await timers.set('a', { delay: 1e6 })
    await timers.set('b', { key: 'odd', delay: 1e6 })
    expect(await timers.clearMany('a', { prefix: 'odd-' })).toBe(600)
    expect([await timers.clearId('a', id), await timers.clearId('a', id)]).toEqual([true, false])
    expect(await timers.stats({ name: 'a' })).toMatchObject({ pending: 600 })
    await timers.set('a', { delay: 1e6 })
    expect(await timers.clearMany('a')).toBe(601)
    expect((await all(timers.list())).map(({ name }) => name)).toEqual(['b'])
  })

  it('counts by name', async () => {
    const timers = await open()
    timers.on('a', ({ key }) => (key === 'fails' ? fail() : undefined), { retries: 0 })
    timers.on('b', ignore)
    await timers.setMany('a', [{ key: 'fails', delay: 0 }, { delay: 0 }, { delay: 1_000 }, { delay: 1e6 }])
    await timers.set('b', { delay: 0 })
    await timers.advance(0)
    const a = { pending: 2, failed: 1, held: 1, running: 0, ran: 1, failures: 1 }
    expect(await timers.stats({ name: 'a' })).toMatchObject(a)
    expect(await timers.stats({ name: 'b' })).toMatchObject({ pending: 0, failed: 0, held: 0, ran: 1 })
    expect(await timers.stats()).toMatchObject({ ...a, ran: 2 })
    expect(await timers.stats({ name: 'c' })).toMatchObject({ pending: 0, ran: 0 })
  })

  it('updates a schedule: its data and rule at once, its next due time if the rule differs', async () => {
    const timers = await open()
    const runs: unknown[] = []
    timers.on('a', ({ due, data }) => void runs.push(`${due.toISOString().slice(5, 16)} ${data}`))
    const update = (cron: string, data: number) =>
      timers.set('a', { key: 'k', cron, data, ifExists: 'update' })
    const eight = new Date('2027-01-31T08:00Z')
    expect(await update('0 8 * * *', 1)).toMatchObject({ due: eight, data: 1 })
    const same = await update('0 8 * * *', 2)
    expect(same).toMatchObject({ due: eight, data: 2, cron: '0 8 * * *' })
    expect(await timers.get('a', 'k')).toEqual(same)
    await timers.advance(7 * 3_600_000)
    const due = new Date('2027-01-31T09:30Z')
    expect(await update('30 9 * * *', 3)).toMatchObject({ due, cron: '30 9 * * *' })
    await timers.advance(24 * 3_600_000)
    expect(runs).toEqual(['01-31T09:30 3'])
    // It keeps its last run.
    expect(await update('0 12 * * *', 4)).toMatchObject({ last: due, due: new Date('2027-02-01T12:00Z') })
    const without = timers.set('a', { key: 'k', delay: 1, ifExists: 'update' } as never)
    await expect(without).rejects.toThrow("options must have every or cron if ifExists is 'update'")
  })

  it.each([
    ['another rule', 5_000, [65_000, 70_000]],
    ['the same rule', 60_000, [120_000, 180_000]],
  ])('changes a schedule with %s at the end of the run that is under way', async (_what, every, dues) => {
    const timers = await open()
    const runs: unknown[] = []
    const aborted: boolean[] = []
    const handler = async ({ due, data, signal, attempt }: DurableRun) => {
      runs.push([due.getTime() - START.getTime(), attempt, data])
      if (data !== 1 || attempt > 1) return
      await timers.set('a', { key: 'k', every, data: 2, ifExists: 'update' })
      aborted.push(signal.aborted)
      throw new Error('The next attempt has the same data')
    }
    timers.on('a', handler, { backoff: 1 })
    await timers.set('a', { key: 'k', every: 60_000, data: 1 })
    await timers.advance(180_500)
    const later = dues.map((due) => [due, 1, 2])
    expect(runs.slice(0, 4)).toEqual([[60_000, 1, 1], [60_000, 2, 1], ...later])
    expect(aborted).toEqual([false])
    expect(await timers.get('a', 'k')).toMatchObject({ every, data: 2 })
  })

  it('shows how timers repeat, and their last and next runs', async () => {
    const timers = await open()
    timers.on('a', ignore)
    const cron = '0 8 * * *'
    await timers.set('a', { key: 'daily', cron, timeZone: 'Europe/Berlin' })
    await timers.set('a', { key: 'often', every: 3_600_000 })
    await timers.set('a', { key: 'once', at: 2e12 })
    expect(await timers.get('a', 'daily')).toMatchObject({ cron, timeZone: 'Europe/Berlin', last: undefined })
    await timers.advance(24 * 3_600_000)
    const times = { last: new Date('2027-01-31T07:00Z'), due: new Date('2027-02-01T07:00Z') }
    expect(await timers.get('a', 'daily')).toMatchObject({ ...times, every: undefined })
    const [often, , once] = await all(timers.list())
    expect(often).toMatchObject({ every: 3_600_000, cron: undefined, timeZone: undefined })
    expect(often!.due.getTime() - often!.last!.getTime()).toBe(3_600_000)
    expect(once).toMatchObject({ every: undefined, cron: undefined, last: undefined })
  })
})
