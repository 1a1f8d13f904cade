/** `timeout-wheel durable sql`, and names of tables. */
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { DurableTimers, postgres } from 'timeout-wheel/durable'
import { samplesOf } from '../docs/samples.js'
import { runNode } from '../node/child.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'

const CLI = join(__dirname, '../../dist/cli.mjs')
const path = join(temporaryFolder(), 'timers.db')
const command = async (...args: string[]) => {
  const { code, lines, stderr } = await runNode([CLI, 'durable', ...args])
  return { code, lines, error: stderr.split('\n')[0] }
}

it('has tables of any name: with capital letters, and words of SQL', async () => {
  const database = await newDatabase()
  for (const store of [path, postgres(database.client)]) {
    for (const table of ['Jobs', 'order', 'TABLE']) {
      const timers = await DurableTimers.open(store, { table })
      const ran = new Promise((resolve) => timers.on('a', resolve))
      await timers.setMany('a', [{ delay: 0 }, { delay: 1e9 }])
      await ran
      await timers.close()
    }
    for (const table of ['jobs', 'ORDER']) {
      const timers = await DurableTimers.open(store, { table })
      expect(await timers.stats()).toMatchObject({ pending: 1, failed: 0 })
      await timers.close()
    }
  }
  await database.close()
})

it('prints the statement that makes the tables in PostgreSQL, for a role that may not: it needs the rights of the document', async () => {
  const database = await PGlite.create()
  const options = { table: 'Order', schema: 'By_Hand', onError: () => {} }
  const open = () => DurableTimers.open(postgres(database), options)
  await database.exec('CREATE ROLE app; SET ROLE app')
  await expect(open()).rejects.toMatchObject({
    code: 'ERR_DURABLE_STORE',
    message: expect.stringMatching(/permission denied/),
  })
  await database.exec('RESET ROLE')
  const { lines } = await command('sql', '--table', 'Order', '--schema', 'By_Hand')
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
  [[], "the command must be sql, got ''"],
  [['timers.db'], "the command must be sql, got 'timers.db'"],
  [['sql', 'more'], "the command must be sql, got 'sql more'"],
  [['sql', '--schema', 'a-b'], '--schema must be a letter, then up to 40 letters, digits and _, got "a-b"'],
])('refuses %j', async (args, message) => {
  const error = `timeout-wheel durable: ${message}`
  expect(await command(...args)).toEqual({ code: 2, lines: [], error })
})
