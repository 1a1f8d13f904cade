/** What the parts of `npm run bench -- durable` share: rows, bars, the servers, and the processes that set and run jobs. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const SECOND = 1_000
export const HOUR = 3_600 * SECOND

export const LABELS = {
  sqlite: 'SQLite',
  postgres: 'PostgreSQL',
  'pg-boss': 'pg-boss',
  bullmq: 'BullMQ, Redis',
  'graphile-worker': 'graphile-worker',
  agenda: 'Agenda, PostgreSQL',
}
export const RIVALS = ['pg-boss', 'bullmq', 'graphile-worker', 'agenda']

export const row = (store, more = {}) => ({
  id: [store, more.way].filter(Boolean).join('-'),
  label: [LABELS[store], more.way].filter(Boolean).join(': '),
  group: RIVALS.includes(store) ? 'rival' : 'addon',
  subject: store,
  ...more,
})

/** Starts the servers that the rows need, for all turns. A turn of a row has a new database or file. */
async function withServers(subjects, _processes, progress, measureAll) {
  const needs = (...stores) => subjects.some(({ subject }) => stores.includes(subject))
  const hasPostgres = needs(...Object.keys(LABELS).filter((id) => !/sqlite|bullmq/.test(id)))
  const hasRedis = needs('bullmq')
  progress.show('durable: servers')
  const [{ setUp }, { startPostgres, stopServers }, { startRedis }, { jobPackages }] = await Promise.all([
    import('../../.tooling/setup.mjs'),
    import('../../.tooling/servers.mjs'),
    import('./redis.mjs'),
    import('../../.tooling/runtimes.mjs'),
  ])
  await setUp([...(hasPostgres ? ['postgres'] : []), ...(hasRedis ? ['redis'] : [])])
  if (needs(...RIVALS)) await jobPackages()
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-bench-'))
  let postgres
  let redis
  let turns = 0
  try {
    if (hasPostgres) postgres = await startPostgres()
    if (hasRedis) redis = await startRedis()
    return await measureAll({
      postgres,
      /** An address of nothing yet. */
      async fresh({ subject }) {
        turns++
        if (subject === 'sqlite') return join(folder, `${turns}.db`)
        if (subject === 'bullmq') return `${redis}`
        await query(postgres.url, `CREATE DATABASE turn_${turns}`)
        return postgres.url.replace(/postgres$/, `turn_${turns}`)
      },
    })
  } finally {
    await stopServers()
    rmSync(folder, { recursive: true })
  }
}

export async function query(url, text) {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

const file = '../durable/process'

/**
 * A part. `measure(launch, subject, { address, postgres, ...settings })` takes a sample of a row on a new store. `launch` starts a
 * process on it, and returns a function that calls those of process.mjs. All processes are ended.
 */
export const partOf = ({ measure, ...part }) => ({
  ...{ file, onRequest: true, alwaysJudged: true, ratioTo: 'ratio', leastNode: 24, against: 'pg-boss' },
  ...{ sources: ['lib/durable', 'lib/entry/durable.ts'], around: withServers },
  ...part,
  async measure(_call, settings, subject, { startChild, ask }, { fresh, postgres }) {
    const address = await fresh(subject)
    const children = []
    const launch = async (how = {}) => {
      const child = startChild(file, 'serve', subject.subject)
      children.push(child)
      const call = (name, options = {}) => ask(child, { name, options }, { patience: 1_800 })
      await call('open', { address, ...how })
      return { child, call }
    }
    try {
      return await measure(launch, subject, { ...settings, address, postgres })
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
  },
})
