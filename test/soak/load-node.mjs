/** node --expose-gc load-node.mjs <entry>: the load on one build, with idle connections and ended threads. A message names what to do. */
import { Agent, createServer, get } from 'node:http'
import { Worker } from 'node:worker_threads'
import { startLoad } from './load.mjs'

const entry = process.argv[2]
const ours = await import(entry)
const load = startLoad(ours)
process.on('uncaughtException', (error) => {
  if (error.message !== 'expected') throw error
  load.caught()
})

/** A connection that is idle must be closed, and not before its time. */
const IDLE = 700
async function openServer() {
  if (ours.backend !== 'native') return undefined
  const { idleTimeout } = await import('timeout-wheel/http')
  const server = createServer(({ socket }, response) => {
    response.end()
    load.opened()
    response.once('close', () => {
      const began = performance.now()
      socket.once('close', () => load.closed(performance.now() - began - IDLE))
    })
  })
  idleTimeout(server, IDLE)
  await new Promise((resolve) => server.listen(0, resolve))
  return server
}
const server = await openServer()
const agent = new Agent({ keepAlive: true })
const connect = () => get({ port: server.address().port, agent }, (answer) => answer.resume())

/** A thread that ends with pending timers. */
const CODE = `
  import('${entry}').then(({ setTimeout, TimerWheel }) => {
    const wheel = new TimerWheel()
    for (let i = 0; i < 10_000; i++) setTimeout(() => {}, i) && wheel.schedule(() => {}, 10 * i)
  })`
const endThread = async (ms) => {
  const worker = new Worker(CODE, { eval: true })
  await new Promise((resolve) => setTimeout(resolve, ms))
  await worker.terminate()
}

function memory() {
  globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  return { heap: heapUsed + external, rss }
}
const works = {
  block: load.block,
  thread: endThread,
  connect: () => server && connect(),
  report: () => process.send({ ...load.report(), memory: memory() }),
  async stop() {
    server?.close()
    await load.stop()
    process.send({ ...load.report(), memory: memory() }, () => process.exit())
  },
}
process.on('message', ([work, argument]) => works[work](argument))
process.on('disconnect', () => process.exit())
