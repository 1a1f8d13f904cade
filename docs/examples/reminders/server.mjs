/** A service for reminders. They are durable timers, so they arrive although the server was killed meanwhile. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { DurableTimers, postgres } from 'timeout-wheel/durable'
import { openArrivals } from './arrivals.mjs'

const { DATABASE_URL, FOLDER = '.', PORT = 3_000, LEASE = 15_000 } = process.env
const pool = DATABASE_URL && new (await import('pg')).default.Pool({ connectionString: DATABASE_URL })
// Else a lost connection ends the process.
if (pool) pool.on('error', (error) => console.error(error.message))
const arrivals = await openArrivals(pool, `${FOLDER}/arrivals.db`)
const store = pool ? postgres(pool) : `${FOLDER}/reminders.db`
const timers = await DurableTimers.open(store, { lease: Number(LEASE) })

timers.on('reminder', ({ id, data, due }) =>
  arrivals.add({ id, text: data.text, due: due.getTime(), at: Date.now() }),
)

const app = Fastify()
const body = {
  type: 'object',
  required: ['text', 'seconds'],
  properties: {
    text: { type: 'string', maxLength: 200 },
    seconds: { type: 'number', minimum: 0, maximum: 1e9 },
  },
}

app.get('/', (_request, reply) =>
  reply.type('text/html').send(readFileSync(new URL('page.html', import.meta.url))),
)

app.post('/reminders', { schema: { body } }, async ({ body: { text, seconds } }) => {
  const { key, due } = await timers.set('reminder', {
    key: randomUUID(),
    delay: seconds * 1_000,
    data: { text },
  })
  return { key, due }
})

app.get('/reminders', async () => {
  const waiting = []
  for await (const { key, data, due } of timers.list({ name: 'reminder' })) {
    waiting.push({ key, text: data.text, due })
    if (waiting.length === 100) break
  }
  return { waiting, arrived: await arrivals.last(100) }
})

app.delete('/reminders/:key', async ({ params }) => ({ cleared: await timers.clear('reminder', params.key) }))

process.once('SIGTERM', async () => {
  await app.close()
  await timers.close({ timeout: 5_000 })
  await pool?.end()
})
await app.listen({ port: Number(PORT), host: '127.0.0.1' })
console.log(`http://localhost:${app.server.address().port}`)
