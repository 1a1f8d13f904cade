/** `timeout-wheel/durable`: timers that outlive the process, on Node 22.13 and later. */

import { DurableError } from '../durable/common/errors.js'
import type { DurableOptions, PostgresDatabase, DurableTimers as Timers } from '../durable/common/types.js'
import { DurableTimers as Class } from '../durable/durable-timers.js'

export type {
  DurableAttemptMessage,
  DurableHandler,
  DurableHandlerOptions,
  DurableListOptions,
  DurableOptions,
  DurableRun,
  DurableStats,
  DurableTimer,
  DurableTimerOptions,
  PostgresClient,
  PostgresDatabase,
} from '../durable/common/types.js'
export { postgres } from '../durable/postgres.js'
export { DurableError }

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  throw new DurableError(
    'ERR_DURABLE_UNSUPPORTED',
    `timeout-wheel/durable needs Node 22.13 or later, for node:sqlite; this is ${process.versions.node}`,
  )
}

// Both here, so that declarations which TypeScript makes for programs can name what `open` gives.
export interface DurableTimers extends Timers {}

export interface DurableTimersConstructor {
  /**
   * Opens a store: the path of an SQLite file, `':memory:'`, or a PostgreSQL database.
   *
   * @throws (rejects) TypeError or RangeError for bad arguments, and errors with a code `ERR_DURABLE_...`
   */
  open(store: string | PostgresDatabase, options?: DurableOptions): Promise<DurableTimers>
}

/** Timers that outlive the process: in a file, which several processes can share. */
export const DurableTimers: DurableTimersConstructor = Class
