/**
 * node --expose-gc durable.mjs <store> <lease> <log>: sets durable timers and runs them. It writes each line into the file at once, so that
 * a kill loses none, with the monotonic time at its end: `set <id> <due>` when the timer is stored, `start <id> <due> <time of day>`, `error <code>`.
 */
import { openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { DurableTimers, postgres } from 'timeout-wheel/durable'

const [store, lease, path] = process.argv.slice(2)
const log = openSync(path, 'a')
const say = (...words) => writeSync(log, `${words.join(' ')} ${process.hrtime.bigint() / 1_000_000n}\n`)
const sayStart = ({ id, due }) => say('start', id, due.getTime(), Date.now())
const sayError = ({ code }) => say('error', code)

async function open() {
  const options = { lease: Number(lease), onError: sayError }
  if (!store.startsWith('postgres:')) return DurableTimers.open(store, options)
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: store, max: 3 })
  pool.on('error', () => {})
  return DurableTimers.open(postgres(pool), options)
}
const timers = await open()
timers.on('once', async (run) => {
  sayStart(run)
  await sleep(Math.random() * 20)
})
timers.on('keyed', sayStart)
timers.on('every', sayStart)
await timers.set('every', { key: 'second', every: 1_000, ifExists: 'update' })

let isOver = false
async function change() {
  const any = () => Math.random() * 5_000
  const { id, due } = await timers.set('once', { delay: any() })
  say('set', id, due.getTime())
  const key = `${Math.floor(Math.random() * 100)}`
  if (Math.random() < 0.3) await timers.clear('keyed', key)
  else await timers.set('keyed', { key, delay: any(), data: { key } })
}
async function changes() {
  for (; !isOver; await sleep(20)) await change().catch(sayError)
}
const done = Promise.all([changes(), changes()])

function memory() {
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
const works = {
  report: () => process.send({ memory: memory() }),
  /** Ends what it does, and waits until nothing is left but the schedule. */
  async stop() {
    isOver = true
    await done
    await timers.clear('every', 'second')
    while ((await timers.stats()).pending > 0) await sleep(100)
    await timers.close()
    process.send({ memory: memory() }, () => process.exit())
  },
}
process.on('message', ([work]) => works[work]())
process.on('disconnect', () => process.exit())
