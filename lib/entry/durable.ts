/** `timeout-wheel/durable`: timers that outlive the process. Those in a file need Node 22.13, which has `node:sqlite`. */

import { DurableError } from '../durable/common/errors.js'
import type { DurableOptions, PostgresDatabase, DurableTimers as Timers } from '../durable/common/types.js'
import { open } from '../durable/durable-timers.js'

export type {
  DurableCallOptions,
  DurableErrorSource,
  DurableHandler,
  DurableHandlerOptions,
  DurableListOptions,
  DurableOptions,
  DurableRun,
  DurableStats,
  DurableTimer,
  DurableTimerFields,
  DurableTimerOptions,
  ManualClock,
  ManualClockFunction,
  PostgresClient,
  PostgresDatabase,
  PostgresFunction,
} from '../durable/common/types.js'
export { manualClock, postgres } from '../durable/options.js'
export { DurableError }

// Both here, so that declarations which TypeScript makes for programs can name what `open` gives.
export interface DurableTimers<Names extends object = Record<string, unknown>> extends Timers<Names> {}

export interface DurableTimersConstructor {
  /**
   * `DurableTimers.open` opens a store: the path of an SQLite file, `':memory:'`, or a PostgreSQL database.
   *
   * @throws `DurableError`, whose code begins with `ERR_DURABLE_`
   */
  open<Names extends object = Record<string, unknown>>(
    store: string | PostgresDatabase,
    options?: DurableOptions,
  ): Promise<DurableTimers<Names>>
}

/** Timers that outlive the process: in a file, or in a database that several machines share. */
export const DurableTimers: DurableTimersConstructor = { open }
