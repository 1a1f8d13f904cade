/** `timeout-wheel/durable`: timers that outlive the process, on Node 22.13 and later. */
import { DurableTimers as Class } from '../durable/durable-timers.js'
import { DurableError } from '../durable/errors.js'
import type { DurableTimersConstructor, DurableTimers as Timers } from '../durable/types.js'

export { postgres } from '../durable/postgres/postgres.js'
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
  DurableTimersConstructor,
  PostgresClient,
  PostgresDatabase,
} from '../durable/types.js'
export { DurableError }

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  throw new DurableError(
    'ERR_DURABLE_UNSUPPORTED',
    `timeout-wheel/durable needs Node 22.13 or later, for node:sqlite; this is ${process.versions.node}`,
  )
}

export interface DurableTimers extends Timers {}
/** Timers that outlive the process: in a file, which several processes can share. */
export const DurableTimers: DurableTimersConstructor = Class
