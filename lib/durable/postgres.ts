/** Names a PostgreSQL database as a store, for `DurableTimers.open`. */
import { checkClient, checkRest } from './checks.js'
import type { PostgresClient, PostgresDatabase } from './common/types.js'

/**
 * A PostgreSQL database as a store of durable timers, which processes on several machines can share.
 *
 * @param client has `query(text, params)`, which resolves to the rows or to an object with `rows`: a pool or a client of `pg`, PGlite, or
 *   an object around another driver
 * @throws TypeError if it has no method `query`
 */
export function postgres(client: PostgresClient): PostgresDatabase
export function postgres(client: PostgresClient, ...rest: unknown[]): PostgresDatabase {
  checkRest('postgres', 1, rest)
  return { client: checkClient('client', client) }
}
