import { formatCount } from '../report/format.mjs'
import { fewerTurns, inTurn } from '../runner/harness.mjs'
import { openFilesLimit } from '../runner/machine.mjs'
import { ask, nextMessage, runChild, startChild } from '../runner/processes.mjs'

/** Files that a process has open beside its connections. */
const otherFiles = 100

/**
 * @param {number} connections
 * @param {string} name
 * @returns {import('../runner/harness.mjs').Part}
 */
const serviceOf = (connections, name) => ({
  name,
  metrics: [
    { key: 'cpu', label: 'CPU/request', unit: 'µs', digits: 2 },
    { key: 'throughput', label: 'requests/s', unit: '' },
    { key: 'latency50', label: 'p50', unit: 'ms', digits: 2 },
    { key: 'latency99', label: 'p99', unit: 'ms', digits: 2 },
    { key: 'operations', label: 'timer operations/s', unit: '' },
  ],

  describe: () => ({
    title:
      connections === 100
        ? 'A real service: HTTP under load'
        : `A real service: HTTP over ${formatCount(connections)} connections`,
    note:
      'An HTTP server on loopback. autocannon loads it from another process over ' +
      `${formatCount(connections)} connections. A request needs 7 timer operations: its deadline is set and cleared, the ` +
      'idle timer of its connection is refreshed, and two calls each set and clear a timeout. HTTP itself costs far more ' +
      'than these, so expect a small difference. At full load latency is only connections / throughput.',
  }),

  async run(contenders, settings, progress) {
    const limit = openFilesLimit()
    if (limit < connections + otherFiles) {
      progress.skip(
        name,
        `${formatCount(connections)} connections need as many open files, and the limit is ${limit}`,
      )
      return []
    }
    const compared = contenders.filter(({ api, group }) => api === 'handles' && group !== 'rival')
    // The time to connect is not measured.
    const warmUpSeconds = 1 + connections / 2_500
    const servers = new Map()
    try {
      for (const { id, label } of compared) {
        progress.show(`${name}: warm-up`, label)
        const child = startChild('server.mjs', [id])
        servers.set(id, { child, ...(await nextMessage(child)) })
        await load(servers.get(id), connections, warmUpSeconds)
      }
      const turns = { turns: settings.turns ?? (settings.full ? 7 : 3), fewer: fewerTurns(settings) }
      return await inTurn(compared, { name, ...turns, progress }, ({ id }) =>
        measure(servers.get(id), connections, settings.seconds),
      )
    } finally {
      for (const { child } of servers.values()) child.disconnect()
    }
  },
})

export const service = serviceOf(100, 'service')
export const service1000 = serviceOf(1_000, 'service-1000')
export const service10000 = serviceOf(10_000, 'service-10000')

/**
 * @typedef {{ child: import('node:child_process').ChildProcess, port: number }} Server
 * @typedef {{ cpu: number, requests: number, operations: number, expired: number }} Counters
 */

/**
 * @param {Server} server
 * @param {number} connections
 * @param {number} seconds
 */
const load = ({ port }, connections, seconds) => runChild('load.mjs', [port, connections, seconds])

/**
 * @param {Server} server
 * @returns {Promise<Counters>}
 */
const readCounters = ({ child }) => ask(child, 'counters')

/**
 * @param {Server} server
 * @param {number} connections
 * @param {number} seconds
 */
async function measure(server, connections, seconds) {
  const before = await readCounters(server)
  const result = await load(server, connections, seconds)
  const after = await readCounters(server)
  if (result.failures > 0) throw new Error(`${result.failures} requests failed`)
  if (after.expired > 0) throw new Error(`${after.expired} timers fired that should have been cleared`)
  return {
    cpu: (after.cpu - before.cpu) / (after.requests - before.requests),
    throughput: result.requests / result.seconds,
    latency50: result.latency50,
    latency99: result.latency99,
    operations: (after.operations - before.operations) / result.seconds,
  }
}
