/**
 * node server.mjs <contender>: an HTTP service that sets all its timeouts with the contender. Sends its port, and answers each
 * message with its counters.
 */

import { createServer } from 'node:http'
import { setImmediate } from 'node:timers'
import { loadContender } from '../contenders/index.mjs'

const deadline = 30_000
const idleLimit = 60_000
const callLimit = 2_000

const timers = await loadContender(process.argv[2])
let requests = 0
let operations = 0
let expired = 0

/** @type {WeakMap<import('node:net').Socket, any>} */
const idleTimers = new WeakMap()

/**
 * @param {() => void} fn
 * @param {number} delay
 */
function set(fn, delay) {
  operations++
  return timers.set(() => {
    expired++
    fn()
  }, delay)
}

/** @param {any} timer */
function clear(timer) {
  operations++
  timers.clear(timer)
}

/**
 * A call to another service, which answers in the next loop turn.
 *
 * @param {string} key
 * @returns {Promise<string>}
 */
const call = (key) =>
  new Promise((resolve, reject) => {
    const timer = set(() => reject(new Error(`no answer for ${key}`)), callLimit)
    setImmediate(() => {
      clear(timer)
      resolve(`value of ${key}`)
    })
  })

const server = createServer(async (request, response) => {
  requests++
  operations++
  timers.refresh(idleTimers.get(request.socket), idleLimit)
  const timer = set(() => response.destroy(), deadline)
  const [user, items] = await Promise.all([call('user'), call('items')])
  clear(timer)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ user, items }))
})

server.on('connection', (socket) => {
  const timer = set(() => socket.destroy(), idleLimit)
  idleTimers.set(socket, timer)
  socket.once('close', () => clear(timer))
})

// The timers of the service do this work. Those of node:http would be native ones with every contender.
server.keepAliveTimeout = 0
server.requestTimeout = 0
server.headersTimeout = 0

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpu: user + system, requests, operations, expired })
})
process.on('disconnect', () => process.exit())

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined })
})
