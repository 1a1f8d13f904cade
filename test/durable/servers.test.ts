/** What needs a PostgreSQL server, which the suite `durable` starts: pgbouncer, pg-boss woken by a timer of this package, and the example. */
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import pg from 'pg'
import { type DurableRun, DurableTimers, postgres } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { samplesOf } from '../docs/samples.js'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'

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

onServer.each(['LATIN1', 'SQL_ASCII'])(
  'works in a database with the encoding %s, which lacks characters',
  async (encoding) => {
    const database = await newDatabase(encoding)
    const timers = await DurableTimers.open(postgres(database.client), { onError: () => {} })
    const ran: unknown[] = []
    timers.on('✗', () => {})
    const handler = ({ key, data }: DurableRun) => {
      ran.push(data)
      if (key === 'fails') throw new Error('✗ failed')
    }
    timers.on('ü', handler, { retries: 0 })
    await timers.setMany(
      'ü',
      ['ü', 'fails', 'last'].map((key) => ({ key, data: ['✗', 'ü'], delay: 0 })),
    )
    while ((await timers.stats()).pending > 0) await new Promise((resolve) => setTimeout(resolve, 10))
    expect(ran).toEqual(Array(3).fill(['✗', 'ü']))
    expect(await timers.failed()).toMatchObject([{ key: 'fails', error: '\\u2717 failed' }])
    await timers.close()
    await database.close()
  },
)

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
