import { inTurn, nextMessage, runChild, startChild } from '../harness.mjs'

const connections = 100
const warmUpSeconds = 1

/** @type {import('../harness.mjs').Part} */
export default {
  name: 'service',
  metrics: [
    { key: 'cpu', label: 'CPU/request', unit: 'µs', digits: 2 },
    { key: 'throughput', label: 'requests/s', unit: '' },
    { key: 'latency50', label: 'p50', unit: 'ms', digits: 2 },
    { key: 'latency99', label: 'p99', unit: 'ms', digits: 2 },
    { key: 'operations', label: 'timer operations/s', unit: '' },
  ],

  describe: () => ({
    title: 'A real service: HTTP under load',
    note:
      'An HTTP server on loopback, loaded by autocannon from another process over 100 connections. Per ' +
      "request: a deadline set and cleared, the connection's idle timer refreshed, two calls each with " +
      'a timeout set and cleared: 7 timer operations. HTTP itself costs far more than seven timers, so ' +
      'expect a small difference; at full load latency is only connections / throughput.',
  }),

  async run(contenders, settings, progress) {
    const compared = contenders.filter(({ api }) => api === 'handles')
    const servers = new Map()
    try {
      for (const { id, label } of compared) {
        progress.show('service: warm-up', label)
        const child = startChild('server.mjs', [id])
        servers.set(id, { child, ...(await nextMessage(child)) })
        await load(servers.get(id), warmUpSeconds)
      }
      return await inTurn(compared, { name: 'service', turns: settings.turns ?? 3, progress }, ({ id }) =>
        measure(servers.get(id), settings.seconds),
      )
    } finally {
      for (const { child } of servers.values()) child.disconnect()
    }
  },
}

/**
 * @typedef {{ child: import('node:child_process').ChildProcess, port: number }} Server
 * @typedef {{ cpu: number, requests: number, operations: number, expired: number }} Counters
 */

/**
 * @param {Server} server
 * @param {number} seconds
 */
const load = ({ port }, seconds) => runChild('load.mjs', [port, connections, seconds])

/**
 * @param {Server} server
 * @returns {Promise<Counters>}
 */
function readCounters({ child }) {
  child.send('counters')
  return nextMessage(child)
}

/**
 * @param {Server} server
 * @param {number} seconds
 */
async function measure(server, seconds) {
  const before = await readCounters(server)
  const result = await load(server, seconds)
  const after = await readCounters(server)
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  if (after.expired > 0) throw new Error(`${after.expired} timers ran out that should have been cleared`)
  return {
    cpu: (after.cpu - before.cpu) / (after.requests - before.requests),
    throughput: result.requests / result.seconds,
    latency50: result.latency50,
    latency99: result.latency99,
    operations: (after.operations - before.operations) / result.seconds,
  }
}
