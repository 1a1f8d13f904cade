/** Names a PostgreSQL database as a store, for `DurableTimers.open`. */
import type { PostgresFunction } from './common/types.js'
import { argumentsOf } from './options.js'

export const postgres: PostgresFunction = (...args: unknown[]) => argumentsOf('postgres', args)
