/** A server under load: each request sets a deadline. Most clear it, some wait for a timer, and some end only by their deadline. */
import Fastify from 'fastify'

const DEADLINES = { '/at-once': 10_000, '/soon': 10_000, '/never': 40 }
const fates = { set: 0, cleared: 0, fired: 0, early: 0 }

/** Sets a timer that counts its own fate. */
function timer(ms, callback) {
  fates.set++
  const due = performance.now() + ms
  const timeout = setTimeout(() => {
    fates.fired++
    // Those of Node can be early by a part of a millisecond.
    if (performance.now() < due - 1) fates.early++
    callback()
  }, ms)
  return () => {
    if (!timeout._destroyed) fates.cleared++
    clearTimeout(timeout)
  }
}

const server = Fastify({ keepAliveTimeout: 200, requestTimeout: 5_000, connectionTimeout: 10_000 })
server.addHook('onRequest', (request, reply, done) => {
  reply.raw.once(
    'close',
    timer(DEADLINES[request.url], () => reply.code(503).send('too late')),
  )
  done()
})
server.get('/at-once', async () => 'at once')
server.get('/soon', (_request, reply) => void timer(5, () => reply.send('soon')))
server.get('/never', () => {})

const url = await server.listen({ port: 0, host: '127.0.0.1' })
const answers = {}
async function askOften() {
  for (let n = 0; n < 20; n++) {
    const path = ['/at-once', '/soon', '/at-once', '/never'][n % 4]
    const response = await fetch(url + path)
    const answer = `${path} ${response.status} ${await response.text()}`
    answers[answer] = 1 + (answers[answer] ?? 0)
  }
}
await Promise.all(Array.from({ length: 40 }, askOften))
await server.close()
for (const answer of Object.keys(answers).sort()) console.log(answer, answers[answer])
console.log(fates.set - fates.cleared - fates.fired, fates.early)
