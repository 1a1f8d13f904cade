/**
 * What becomes of a run that is due or has begun, or of a failed timer, when its key is set or cleared. And what the functions of a run and
 * manual clocks refuse.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type DurableRun, DurableTimers, manualClock, postgres } from 'timeout-wheel/durable'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase, type TestDatabase } from './database.js'
import { ignore, openStores } from './helpers.js'

const folder = temporaryFolder()
let database: TestDatabase
let tables = 0
const { open: openStore } = openStores()
beforeAll(async () => {
  database = await newDatabase()
}, 60_000)
afterAll(() => database.close())

const HOUR = 3_600_000
const LATES = ['run', 'once', 'skip'] as const
/** The schedule at first, and what a deploy makes of it at 9:00. */
const FIRST = { cron: '0 8 L * *' }
const UPDATES = {
  same: FIRST,
  options: { ...FIRST, retries: 7, grace: 500 },
  later: { cron: '0 10 L * *' },
  // Its time has passed today, too.
  passed: { cron: '30 8 L * *' },
}

describe.each(['SQLite', 'PostgreSQL'])('%s', (store) => {
  const open = async (table: string, time: string) => {
    const address = store === 'SQLite' ? join(folder, 'timers.db') : postgres(database.client)
    const clock = manualClock(new Date(time))
    const timers = await openStore(address, { table, clock, onError: ignore, retention: Infinity })
    return { timers, clock }
  }
  /** As if the process that owns the rows had died: they get the number of one that is not there. */
  const kill = async (table: string) => {
    const statement = `UPDATE ${store === 'SQLite' ? '' : 'timeout_wheel.'}${table} SET owner = owner + 65536`
    if (store === 'PostgreSQL') return database.query(statement)
    const file = new DatabaseSync(join(folder, 'timers.db'))
    file.exec(statement)
    return file.close()
  }

  // Of each `late`: the run that was due at 8:00, and that of the schedule whose time comes later on the day.
  it.each([
    ['has not started', 1, { run: ['9:00', '10:00'], once: ['9:00', '10:00'], skip: ['', '10:00'] }],
    [
      'ran when its process died',
      2,
      { run: ['9:00', '10:00'], once: ['9:00', '10:00'], skip: ['', '10:00'] },
    ],
    ['waits for a retry', 2, { run: ['11:00', '11:00'], once: ['11:00', '11:00'], skip: ['11:00', ''] }],
  ])('updates a timer whose run %s', async (state, attempt, starts) => {
    const table = `t${++tables}`
    const cells = LATES.flatMap((late) =>
      (Object.keys(UPDATES) as (keyof typeof UPDATES)[]).map((update) => ({
        ...{ late, update, key: `${late} ${update}` },
      })),
    )
    const former = await open(table, '2027-01-31T00:00Z')
    const rows = cells.map(({ key, late }) => ({ key, late, ...FIRST, data: 1 }))
    const ids = new Map((await former.timers.setMany('bill', rows)).map(({ key, id }) => [key, id]))
    const isDying = state === 'ran when its process died'
    let started = 0
    const allStarted = new Promise<void>((resolve) => {
      if (state === 'has not started') return resolve()
      former.timers.on('bill', (run) => {
        if (++started === cells.length) resolve()
        if (isDying) return new Promise(() => {})
        run.retryIn(3 * HOUR)
        throw new Error('busy')
      })
    })
    const advanced = former.timers.advance(8 * HOUR)
    await allStarted
    if (isDying) await kill(table)
    else await advanced
    await former.timers.close({ timeout: 0 })

    const { timers, clock } = await open(table, '2027-01-31T09:00Z')
    for (const { key, late, update } of cells)
      await timers.set('bill', { key, late, ...UPDATES[update], data: 2, ifExists: 'update' })
    const runs = new Map(cells.map(({ key }) => [key, [] as string[]]))
    const hour = (time: Date | number) => new Date(time).toISOString().slice(11, 16).replace(/^0/, '')
    timers.on('bill', (run) => {
      const id = ids.get(run.key!) === run.id ? 'same id' : 'new id'
      runs
        .get(run.key!)!
        .push(
          `${run.due.getUTCDate()}. ${hour(run.due)} at ${hour(clock.now())}, ${run.attempt}, ${id}, ${run.data}`,
        )
    })
    await timers.advance(29 * 24 * HOUR)
    const expected = cells.map(({ key, late, update }): [string, string[]] => {
      const [first, later] = starts[late]
      const next = { same: '8:00', options: '8:00', later: '10:00', passed: '8:30' }[update]
      return [
        key,
        [
          ...(first === '' ? [] : [`31. 8:00 at ${first}, ${attempt}, same id, 2`]),
          ...(update === 'later' && later !== '' ? [`31. 10:00 at ${later}, 1, new id, 2`] : []),
          `28. ${next} at ${next}, 1, new id, 2`,
        ],
      ]
    })
    expect([...runs]).toEqual(expected)
  })

  it('goes on with a run that this process holds, and then by the new schedule, of which only the last late run counts', async () => {
    const { timers, clock } = await open(`t${++tables}`, '2027-01-31T00:00Z')
    const start = clock.now()
    const runs: unknown[] = []
    const handler = ({ due, attempt, retryIn }: DurableRun) => {
      runs.push([due.getTime() - start, attempt, clock.now() - start])
      if (attempt === 1 && runs.length === 1) {
        retryIn(10_000)
        throw new Error('busy')
      }
    }
    timers.on('a', handler)
    await timers.set('a', { key: 'k', every: 60_000 })
    await timers.advance(65_000)
    await timers.set('a', { key: 'k', every: 5_000, ifExists: 'update' })
    await timers.advance(10_000)
    expect(runs).toEqual([
      [60_000, 1, 60_000],
      [60_000, 2, 70_000],
      ...[70_000, 75_000].map((due) => [due, 1, due]),
    ])
    await timers.set('b', { key: 'k', every: 60_000 })
    await timers.advance(90_000)
    await timers.set('b', { key: 'k', every: 7_000, ifExists: 'update' })
    await timers.advance(30_000)
    runs.length = 0
    timers.on('b', handler)
    await timers.advance(0)
    // Set anew at 165,000, and so due each 7,000 from 172,000 on.
    expect(runs).toEqual([[193_000, 1, 195_000]])
  })

  it('clears a timer that has failed, and replaces it by a set', async () => {
    const { timers } = await open(`t${++tables}`, '2027-01-31T00:00Z')
    timers.on('a', () => Promise.reject(new Error('no')), { retries: 0 })
    await timers.setMany('a', [
      { key: 'cleared', delay: 0 },
      { key: 'kept', delay: 0 },
    ])
    await timers.advance(0)
    expect(await timers.stats()).toMatchObject({ pending: 0, failed: 2 })
    expect([await timers.clear('a', 'cleared'), await timers.clear('a', 'cleared')]).toEqual([true, false])
    await timers.set('a', { key: 'kept', delay: 1e6, ifExists: 'keep' })
    expect(await timers.stats()).toMatchObject({ pending: 1, failed: 0 })
  })

  it('lets a handler take the functions out of its argument, and refuses to advance in it', async () => {
    const { timers } = await open(`t${++tables}`, '2027-01-31T00:00Z')
    const attempts: number[] = []
    let refusal: unknown
    timers.on('a', async ({ retryIn, fail, attempt }) => {
      attempts.push(attempt)
      if (attempt === 1) return retryIn(60_000)
      refusal = await timers.advance(0).catch((error) => error)
      fail('enough')
    })
    await timers.set('a', { delay: 0 })
    await timers.advance(120_000)
    expect(attempts).toEqual([1, 2])
    expect(refusal).toMatchObject({ code: 'ERR_WHEEL_DRIVER', message: expect.stringMatching(/no handler/) })
    // The lateness of a retry says nothing of the store.
    expect(await timers.stats()).toMatchObject({ failed: 1, lateness: { p99: 0 } })
  })

  it('refuses a manual clock that another store has, until that is closed', async () => {
    const { timers, clock } = await open(`t${++tables}`, '2027-01-31T00:00Z')
    const again = DurableTimers.open(':memory:', { clock })
    await expect(again).rejects.toThrow(/^clock must be one that no other open store has/)
    await timers.close()
    await (await DurableTimers.open(':memory:', { clock })).close()
  })
})
