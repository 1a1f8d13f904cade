/**
 * A Fastify server that depends on timers: every request has a deadline. Most responses clear it, some are late and let it
 * expire, and some wait for a timer. Sends its parent the port, and after it closes, the fates of its timers.
 */
import Fastify from 'fastify'
import * as ours from 'timeout-wheel'

const DEADLINE = 40
const counts = { set: 0, cleared: 0, fired: 0, early: 0, beats: 0 }

/** Whether every timer has fired or was cleared. */
const areAllOver = () => counts.fired + counts.cleared === counts.set
let whenAllOver = () => {}

/** Sets a timer that counts its own fate. */
function timer(ms, callback) {
  counts.set++
  const due = performance.now() + ms
  let isOver = false
  const timeout = setTimeout(() => {
    isOver = true
    counts.fired++
    if (performance.now() < due) counts.early++
    callback()
    if (areAllOver()) whenAllOver()
  }, ms)
  return {
    clear() {
      if (!isOver) counts.cleared++
      isOver = true
      clearTimeout(timeout)
      if (areAllOver()) whenAllOver()
    },
  }
}

const server = Fastify({ keepAliveTimeout: 200, requestTimeout: 5_000, connectionTimeout: 10_000 })
server.addHook('onRequest', (_request, reply, done) => {
  const deadline = timer(DEADLINE, () => reply.code(503).send('too late'))
  reply.raw.once('close', () => deadline.clear())
  done()
})
server.get('/at-once', async () => 'at once')
server.get('/soon', (_request, reply) => {
  timer(5, () => reply.raw.writableEnded || reply.send('soon'))
})
server.get('/never', () => {})

const beat = setInterval(() => counts.beats++, 10)
await server.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: server.server.address().port })
process.once('message', async () => {
  await server.close()
  // Timers of requests that were cut off can be pending for some milliseconds more.
  if (!areAllOver()) await new Promise((resolve) => (whenAllOver = resolve))
  clearInterval(beat)
  process.send({ ...counts, areOurs: setTimeout === ours.setTimeout, backend: ours.backend })
  // Nothing else keeps the process alive.
  process.disconnect()
})
