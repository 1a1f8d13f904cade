/**
 * A server under load runs with its timers replaced from outside. It responds to every request, and every deadline is
 * cleared or expires. TIMEOUT_WHEEL_LOAD_SECONDS sets the duration.
 */
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { start } from '../../.tooling/child.cjs'

interface Result {
  errors: number
  timeouts: number
  requests: { sent: number }
  statusCodeStats: Record<string, { count: number }>
}
/** The package has no types. */
const autocannon: (options: object) => Promise<Result> = createRequire(__filename)('autocannon')

const SECONDS = Number(process.env.TIMEOUT_WHEEL_LOAD_SECONDS ?? 1)
const CONNECTIONS = 40

it.each([
  ['--import', 'native'],
  ['--require', 'wasm'],
])(
  'responds to all requests with node %s, on %s',
  async (flag, backend) => {
    const child = start(process.execPath, [flag, 'timeout-wheel/register', join(__dirname, 'server.mjs')], {
      env: { ...process.env, TIMEOUT_WHEEL_BACKEND: backend },
      cwd: join(__dirname, '../..'),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      limit: (SECONDS + 25) * 1_000,
    })
    const server = child.process
    try {
      const [{ port }] = (await once(server, 'message')) as [{ port: number }]
      const result = await autocannon({
        url: `http://127.0.0.1:${port}`,
        connections: CONNECTIONS,
        duration: SECONDS,
        requests: ['/at-once', '/soon', '/at-once', '/never'].map((path) => ({ path })),
      })
      const { statusCodeStats, requests, errors, timeouts } = result
      const codes = Object.keys(statusCodeStats)
      expect({ errors, timeouts, codes }).toEqual({ errors: 0, timeouts: 0, codes: ['200', '503'] })
      const [answered, tooLate] = codes.map((code) => statusCodeStats[code]!.count) as [number, number]
      const unanswered = requests.sent - answered - tooLate
      // The requests that were running when the time was over.
      expect(unanswered).toBeGreaterThanOrEqual(0)
      expect(unanswered).toBeLessThanOrEqual(CONNECTIONS)
      // One of four requests of a connection ends only by its deadline. The last four of each connection may be incomplete.
      expect(Math.abs(answered - 3 * tooLate)).toBeLessThanOrEqual(3 * CONNECTIONS)
      expect(tooLate).toBeGreaterThan(CONNECTIONS)

      const [reported, exited] = [once(server, 'message'), once(server, 'exit')]
      server.send('close')
      const [counts] = (await reported) as [Record<string, number>]
      expect(counts).toMatchObject({ areOurs: true, backend, early: 0 })
      expect(counts.cleared! + counts.fired!).toBe(counts.set)
      expect(counts.beats).toBeGreaterThan(10)
      expect(await exited).toEqual([0, null])
    } finally {
      await child.end()
    }
  },
  (SECONDS + 30) * 1_000,
)
