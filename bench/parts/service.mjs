import { createServer } from 'node:http'
import { formatCount } from '../report/format.mjs'
import { cpuTime } from '../runner/inside.mjs'
import { openFilesLimit } from '../runner/machine.mjs'

const otherFiles = 100

const serviceOf = (connections, name) => ({
  name,
  file: 'service',
  title:
    connections === 100
      ? 'A real service: HTTP under load'
      : `A real service: HTTP over ${formatCount(connections)} connections`,
  note:
    `An HTTP server on loopback, which autocannon loads from another process over ${formatCount(connections)} connections. A request ` +
    'needs 7 timer operations: its deadline is set and cleared, the idle timer of its connection is refreshed, and two calls each ' +
    'set and clear a timeout. HTTP costs far more. At full load, the latency is the number of connections divided by the throughput.',
  metrics: [
    { key: 'cpu', label: 'CPU/request', unit: 'µs', digits: 2 },
    { key: 'throughput', label: 'requests/s', unit: '', isCost: false },
  ],
  needs() {
    const limit = openFilesLimit()
    if (limit >= connections + otherFiles) return undefined
    return `${formatCount(connections)} connections need as many open files, and the limit is ${limit}`
  },
  takes: ({ api, group }) => api === 'handles' && group !== 'rival',
  turns: { short: 3, full: 7 },
  fewer: true,

  /** The servers run from the warm-up on, in which the connections are made for the first time. */
  async around(subjects, { startChild, nextMessage, runChild }, progress, measureAll) {
    const servers = new Map()
    try {
      for (const { id, label } of subjects) {
        progress.show(`${name}: warm-up`, label)
        const child = startChild('service', 'serveRequests', id)
        servers.set(id, { child, ...(await nextMessage(child)) })
        const seconds = 1 + connections / 2_500
        await runChild('service', 'load', 'client', { port: servers.get(id).port, connections, seconds })
      }
      return await measureAll(servers)
    } finally {
      for (const { child } of servers.values()) child.kill()
    }
  },

  async measure(_call, { seconds }, { id }, { ask, runChild }, servers) {
    const { child, port } = servers.get(id)
    const before = await ask(child, 'counters')
    const result = await runChild('service', 'load', 'client', { port, connections, seconds })
    const after = await ask(child, 'counters')
    if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
    if (after.expired > 0) throw new Error(`${after.expired} timers fired that should have been cleared`)
    return {
      cpu: (after.cpu - before.cpu) / (after.requests - before.requests),
      throughput: result.requests / result.seconds,
    }
  },
})

export const service = serviceOf(100, 'service')
export const service1000 = serviceOf(1_000, 'service-1000')
export const service10000 = serviceOf(10_000, 'service-10000')

export async function load(_subject, { port, connections, seconds }) {
  const { default: autocannon } = await import('autocannon')
  const result = await autocannon({ url: `http://127.0.0.1:${port}`, connections, duration: seconds })
  return {
    requests: result['2xx'],
    failures: result.non2xx + result.errors + result.timeouts,
    seconds: result.duration,
  }
}

const deadline = 30_000
const idleLimit = 60_000
const callLimit = 2_000

/** An HTTP service that sets all its timeouts with the timers. Sends its port, and answers each message with its counters. */
export function serveRequests(timers) {
  let requests = 0
  let expired = 0
  const idleTimers = new WeakMap()

  const { clear } = timers
  const set = (fn, delay) =>
    timers.set(() => {
      expired++
      fn()
    }, delay)
  /** A call to another service, which answers in the next loop turn. */
  const call = (key) =>
    new Promise((resolve, reject) => {
      const timer = set(() => reject(new Error(`no answer for ${key}`)), callLimit)
      setImmediate(() => {
        clear(timer)
        resolve(`value of ${key}`)
      })
    })

  // The timers of the service do this work. Those of node:http would be native ones with every contender.
  const withoutTimers = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 }
  const server = createServer(withoutTimers, async (request, response) => {
    requests++
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

  process.on('message', () => process.send({ cpu: cpuTime(), requests, expired }))
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
}
