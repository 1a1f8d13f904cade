/** `timeout-wheel durable`, beside a program that has the store open. */
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { DurableTimers, postgres } from 'timeout-wheel/durable'
import { samplesOf } from '../docs/samples.js'
import { runNode } from '../node/child.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'
import { all } from './helpers.js'

const CLI = join(__dirname, '../../dist/cli.mjs')
const path = join(temporaryFolder(), 'timers.db')
const command = async (...args: string[]) => {
  // Node 22 and 24 warn that SQLite is new there.
  const { code, lines, stderr } = await runNode([CLI, 'durable', ...args], { NODE_NO_WARNINGS: '1' })
  return { code, lines, error: stderr.split('\n')[0] }
}

it('counts, lists, retries and clears timers', async () => {
  const timers = await DurableTimers.open(path, { onError: () => {} })
  timers.on('fails', () => Promise.reject(new Error('why')), { retries: 0 })
  const data = { to: 'ann@example.org' }
  const { due, id: mail } = await timers.set('mail', { key: 'ann', delay: 3_600_000, data })
  const { id } = await timers.set('fails', { delay: 0 })
  while ((await all(timers.failed())).length === 0);
  const done = { code: 0, lines: [], error: '' }
  const counts = (pending: number, failed: number) => ({
    ...done,
    lines: [JSON.stringify({ pending, failed })],
  })
  expect(await command(path)).toEqual(counts(1, 1))
  expect(await command(path, 'stats', 'mail')).toEqual(counts(1, 0))
  const { lines: listed } = await command(path, 'list')
  expect(listed.map((line) => JSON.parse(line))).toEqual([
    { id: mail, name: 'mail', key: 'ann', data, due: due.toISOString(), attempt: 0 },
  ])
  expect((await command('--table', 'other', path)).error).toMatch(/no such table: other$/)
  for (const list of ['list', 'failed']) expect(await command(path, list, 'other')).toEqual(done)
  const { lines } = await command(path, 'failed')
  expect(JSON.parse(lines[0]!)).toMatchObject({ id, name: 'fails', attempt: 1, error: 'why' })
  expect(await command(path, 'retry', `${id}`)).toEqual(done)
  expect(await command(path, 'clear', 'mail', 'ann')).toEqual(done)
  await timers.set('mail', { key: 'a\tb\n\x1b\x9b', delay: 1e6 })
  expect((await command(path, 'list')).lines[0]).toMatch(/"key":"a\\tb\\n\\u001b\\u009b"/)
  expect((await command('--schema', 'a-b', 'sql')).error).toMatch(
    /--schema must be a letter, then .* got "a-b"$/,
  )
  const missing = { code: 1, lines: [], error: 'timeout-wheel durable: there is no such timer' }
  expect(await command(path, 'clear', 'mail', 'ann')).toEqual(missing)
  await timers.close()
})

it('has tables of any name: with capital letters, and words of SQL', async () => {
  const database = await newDatabase()
  for (const table of ['Jobs', 'order', 'TABLE']) {
    for (const store of [path, postgres(database.client)]) {
      const timers = await DurableTimers.open(store, { table })
      const ran = new Promise((resolve) => timers.on('a', resolve))
      await timers.setMany('a', [{ delay: 0 }, { delay: 1e9 }])
      await ran
      await timers.close()
    }
  }
  for (const store of [path, ...(database.url === undefined ? [] : [database.url])])
    for (const table of ['Jobs', 'jobs', 'ORDER'])
      expect((await command('--table', table, store)).lines[0]).toBe('{"pending":1,"failed":0}')
  await database.close()
})

it('prints the statement that makes the tables in PostgreSQL, for a role that may not: it needs the rights of the document', async () => {
  const database = await PGlite.create()
  const options = { table: 'Made', schema: 'By_Hand', onError: () => {} }
  const open = () => DurableTimers.open(postgres(database), options)
  await database.exec('CREATE ROLE app; SET ROLE app')
  await expect(open()).rejects.toMatchObject({
    code: 'ERR_DURABLE_STORE',
    message: expect.stringMatching(/permission denied/),
  })
  await database.exec('RESET ROLE')
  const { lines } = await command('--table', 'Made', '--schema', 'By_Hand', 'sql')
  await database.exec(lines.join('\n'))
  const grants = samplesOf('docs/durable.md').find(({ code }) => code.startsWith('GRANT'))!.code
  await database.exec(`${grants.replaceAll('timeout_wheel', 'by_hand')}; SET ROLE app`)
  const timers = await open()
  const ran = new Promise((resolve) => timers.on('a', resolve))
  await timers.setMany('a', [{ delay: 0 }, { key: 'k', delay: 1e9 }])
  await ran
  await timers.pause('a', { everywhere: true })
  expect(await timers.clear('a', 'k')).toBe(true)
  expect((await timers.stats()).failed).toBe(0)
  await timers.close()
  await database.close()
}, 60_000)

it.each([
  [[], 2, 'the store is missing'],
  [['x.db', 'stat'], 2, "the command must be one of stats, list, failed, retry, clear, got 'stat'"],
  [['x.db', 'clear', 'mail'], 2, 'clear takes 2 arguments, got 1'],
  [['x.db', 'list', 'mail', 'ann'], 2, 'list takes at most 1 argument, got 2'],
  [['missing.db'], 1, 'there is no file missing.db'],
  [['missing.db', 'retry', 'x'], 1, 'there is no file missing.db'],
])('refuses %j', async (args, code, message) => {
  expect(await command(...args)).toEqual({ code, lines: [], error: `timeout-wheel durable: ${message}` })
})
