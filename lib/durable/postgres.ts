/** Names a PostgreSQL database as a store, for `DurableTimers.open`. */
import { checkClient, checkRest } from './checks.js'
import type { PostgresFunction } from './common/types.js'

export const postgres: PostgresFunction = (client, ...rest: unknown[]) => {
  checkRest('postgres', 1, rest)
  return { client: checkClient('client', client) }
}
