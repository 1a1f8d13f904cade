/** Recipes of docs/durable.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { manualClock } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'
import { all, openStores, outputOfModule } from './helpers.js'

const folder = temporaryFolder()
const { open } = openStores()

/** The code of the document that has these words. */
const recipe = (words: string): string =>
  samplesOf('docs/durable.md').find(({ code }) => code.includes(words))!.code

/** Runs a recipe with these variables. */
const follow = async (code: string, variables: Record<string, unknown>): Promise<void> =>
  Object.getPrototypeOf(follow).constructor(...Object.keys(variables), code)(...Object.values(variables))

it('bills each month once, also if no process ran at its end, or if the bank is down for days', async () => {
  const bills: unknown[] = []
  let isDown = false
  const charge = async (
    { customer, month }: Record<string, unknown>,
    { idempotencyKey }: object & Record<string, unknown>,
  ) => {
    if (isDown) throw new Error('the bank is down')
    bills.push([customer, month, idempotencyKey])
  }
  const start = async (time: string) => {
    const options = { clock: manualClock(new Date(time)), onError: () => {}, retention: Infinity }
    const timers = await open(join(folder, 'bills.db'), options)
    await follow(recipe("timers.on('month-ends'"), { timers, charge })
    return timers
  }
  const first = await start('2027-01-31T05:00Z')
  await first.advance(86_400_000)
  await first.close()
  isDown = true
  const timers = await start('2027-04-15T05:00Z')
  await timers.advance(5 * 86_400_000)
  isDown = false
  await timers.advance(20 * 86_400_000)
  const months = ['2027-01', '2027-02', '2027-03', '2027-04']
  expect(bills.sort()).toEqual(months.map((month) => [17, month, `customer-17/${month}`]))
})

it('sets and clears timers by an outbox', async () => {
  const clock = manualClock(new Date('2027-01-31'))
  const timers = await open(':memory:', { clock })
  const db = new DatabaseSync(':memory:')
  db.exec('CREATE TABLE outbox (id INTEGER PRIMARY KEY, key TEXT, due INTEGER, data TEXT)')
  const write = (key: string, due: number | null) =>
    db.prepare('INSERT INTO outbox (key, due, data) VALUES (?, ?, ?)').run(key, due, '{"a":1}')
  await follow(recipe("timers.on('outbox'"), { timers, db })
  for (const [key, due] of [
    ['kept', 5e12],
    ['cleared', 5e12],
    ['cleared', null],
    ['again', null],
    ['again', 6e12],
  ] as const)
    write(key, due)
  await timers.advance(1_000)
  expect(await all(timers.list({ name: 'mail' }))).toMatchObject([
    { key: 'kept', due: new Date(5e12), data: { a: 1 } },
    { key: 'again', due: new Date(6e12) },
  ])
  expect(db.prepare('SELECT * FROM outbox').all()).toEqual([])
  db.close()
})

it('backs up a file while timers are set, from which a store opens that makes ids of its own, as each store does', async () => {
  const timers = await open(join(folder, 'timers.db'))
  await timers.set('a', { key: 'before', delay: 200, data: { n: 1 } })
  writeFileSync(join(folder, 'backup.mjs'), recipe('VACUUM INTO'))
  let isDone = false
  const options = { cwd: folder, limit: 30_000 }
  const backup = outputOf(process.execPath, ['--no-warnings', 'backup.mjs'], options).finally(() => {
    isDone = true
  })
  for (let i = 0; !isDone; i++) await timers.set('a', { key: `${i}`, delay: 1e9 })
  await backup
  const { id } = await timers.set('b', { delay: 1e9 })
  await timers.close()
  const restored = await open(join(folder, 'timers-backup.db'))
  const other = await open(join(folder, 'timers-backup.db'), { table: 'other' })
  const ids = [id]
  for (const store of [restored, other]) ids.push((await store.set('b', { delay: 1e9 })).id)
  expect([new Set(ids).size, ids.map((one) => typeof one)]).toEqual([3, Array(3).fill('string')])
  const ran = new Promise((resolve) => restored.on('a', ({ key, data }) => resolve([key, data])))
  expect(await ran).toEqual(['before', { n: 1 }])
}, 60_000)

it('looks into a file beside the service, and runs a failed timer again', async () => {
  const path = join(folder, 'looked.db')
  const timers = await open(path, { onError: () => {} })
  let isDown = true
  const ran = new Promise((resolve) => {
    timers.on('fails', ({ attempt }) => (isDown ? Promise.reject(new Error('why')) : resolve(attempt)), {
      retries: 0,
    })
  })
  await timers.set('mail', { key: 'ann', delay: 3_600_000, data: { to: 'ann@example.org' } })
  await timers.set('fails', { key: 'k', delay: 0 })
  while ((await timers.stats()).failed === 0);
  isDown = false
  const printed = await outputOfModule(
    recipe('console.log(JSON.stringify(timer))').replace('timers.db', path),
  )
  expect(printed).toMatch(
    /^{"id":.*,"key":"ann","data":{"to":"ann@example.org"},.*}\nk has failed .* with why\n$/,
  )
  expect(await ran).toBe(2)
  await timers.close()
})
