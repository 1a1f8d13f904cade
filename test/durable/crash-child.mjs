/**
 * node crash-child.mjs <store> <table> <lease> <seconds> <log>: sets timers and runs them. It writes each line at once into a file, so that a
 * kill loses none: `set <id>` after the promise was fulfilled, `start <id> <due> <time>`, `end <id> <start> <time>`. While the server restarts,
 * some calls fail.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DurableTimers, postgres } from 'timeout-wheel/durable'

const [store, table, lease, seconds, path] = process.argv.slice(2)
const pool = store.startsWith('postgres:') ? new pg.Pool({ connectionString: store, max: 3 }) : undefined
const log = openSync(path, 'a')
const say = (...words) => writeSync(log, `${words.join(' ')}\n`)
const orElse = (otherwise) => (error) => {
  say('error', error.code)
  return otherwise
}
pool?.on('error', (error) => say('pool', error.code))
const options = { table, lease: Number(lease), onError: orElse() }
const open = () => DurableTimers.open(pool === undefined ? store : postgres(pool), options)
let timers
// A server that restarts refuses.
while (timers === undefined) timers = await (pool === undefined ? open() : open().catch(orElse(undefined)))
timers.on('a', async ({ id, due }) => {
  const start = Date.now()
  say('start', id, due.getTime(), start)
  await sleep(Math.random() * 20)
  say('end', id, start, Date.now())
})
for (const end = Date.now() + Number(seconds) * 1_000; Date.now() < end; await sleep(2)) {
  const timer = await timers.set('a', { delay: Math.random() * 1_500 }).catch(orElse(undefined))
  if (timer !== undefined) say('set', timer.id)
}
// Until nothing is left of this and of the other processes.
while ((await timers.stats().catch(orElse({ pending: 1 }))).pending > 0) await sleep(50)
await timers.close()
await pool?.end()
say('closed')
