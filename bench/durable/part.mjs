/** What the parts of `npm run bench -- durable` share: rows, bars, the servers, and the processes that set and run jobs. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { jobPackages } from '../../.tooling/runtimes.mjs'

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

/** A Redis on loopback, for BullMQ. It is asked to lose nothing: each write waits for the disk. @returns its port */
async function startRedis({ askBy, freePort, newFolder, serve }) {
  const cwd = newFolder()
  const port = await freePort()
  const options = `--bind 127.0.0.1 --port ${port} --dir ${cwd} --appendonly yes --appendfsync always --save`
  await serve('redis-server', [...options.split(' '), ''], { cwd }, askBy('redis-cli', `-p ${port} ping`))
  return port
}

/** Starts the servers that the rows need, for all turns. A turn of a row has a new database or file. */
async function withServers(subjects, _processes, progress, measureAll) {
  const needs = (...stores) => subjects.some(({ subject }) => stores.includes(subject))
  const hasPostgres = needs(...Object.keys(LABELS).filter((id) => !/sqlite|bullmq/.test(id)))
  const hasRedis = needs('bullmq')
  progress.show('durable: servers')
  const { setUp } = await import('../../.tooling/setup.mjs')
  const servers = await import('../../.tooling/servers.mjs')
  await setUp([...(hasPostgres ? ['postgres'] : []), ...(hasRedis ? ['redis'] : [])])
  if (needs(...RIVALS)) await jobPackages()
  const folder = servers.newFolder()
  let turns = 0
  try {
    const postgres = hasPostgres ? await servers.startPostgres() : undefined
    const redis = hasRedis ? await startRedis(servers) : undefined
    return await measureAll({
      folder,
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
    await servers.stopServers()
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
 * A part. `measure(launch, subject, { address, folder, postgres, ...settings })` takes a sample of a row on a new store. `launch(options)`
 * opens it in a new process, and resolves to this `child` and `call`, which calls the functions of process.mjs. All processes are ended.
 */
export const partOf = ({ measure, ...part }) => ({
  ...{ file, onRequest: true, alwaysJudged: true, ratioTo: 'ratio', leastNode: 24, against: 'pg-boss' },
  ...{ sources: ['lib/durable', 'lib/entry/durable.ts'], around: withServers },
  ...part,
  async measure(_call, settings, subject, { startChild, ask }, { fresh, ...around }) {
    const address = await fresh(subject)
    const children = []
    const launch = async (options = {}) => {
      const child = startChild(file, 'serve', subject.subject)
      children.push(child)
      const call = (name, args = {}) => ask(child, { name, options: args }, { patience: 1_800 })
      await call('open', { address, options })
      return { child, call }
    }
    try {
      return await measure(launch, subject, { ...settings, address, ...around })
    } finally {
      for (const child of children) child.kill('SIGKILL')
    }
  },
})
