/**
 * An Express server that depends on timers: every request has a deadline. Most responses clear it, some are late and let it
 * expire, and some wait for a timer. Sends its parent the port, and after it closes, the fates of its timers.
 */
import { createServer } from 'node:http'
import express from 'express'
import * as ours from 'timeout-wheel'

const DEADLINE = 40
const counts = {
  areOurs: setTimeout === ours.setTimeout,
  backend: ours.backend,
  set: 0,
  cleared: 0,
  fired: 0,
  early: 0,
  beats: 0,
}

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

const app = express()
app.use((_request, response, next) => {
  const deadline = timer(DEADLINE, () => response.writableEnded || response.status(503).send('too late'))
  response.once('close', () => deadline.clear())
  next()
})
app.get('/at-once', (_request, response) => response.send('at once'))
app.get('/soon', (_request, response) => {
  timer(5, () => response.writableEnded || response.send('soon'))
})
app.get('/never', () => {})
const server = createServer({ keepAliveTimeout: 200, requestTimeout: 5_000 }, app)

const beat = setInterval(() => counts.beats++, 10)
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
process.send({ port: server.address().port })
process.once('message', async () => {
  await new Promise((resolve) => server.close(resolve))
  // Timers of requests that were cut off can be pending for some milliseconds more.
  if (!areAllOver()) await new Promise((resolve) => (whenAllOver = resolve))
  clearInterval(beat)
  process.send(counts)
  // Nothing else keeps the process alive.
  process.disconnect()
})
