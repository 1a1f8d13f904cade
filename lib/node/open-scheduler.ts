/** Opens the scheduler of a wheel, in real time or in virtual time. */

import type { CheckedOptions } from '../common/checks.js'
import { DEFAULT_TICK, FOREVER } from '../common/constants.js'
import type { OpenCore } from '../memory/core.js'
import type { OpenBackend } from './drivers/backend.js'
import type { Host } from './host/node-host.js'
import { onDemand } from './on-demand/load.js'
import { ConfiguredScheduler } from './scheduler/configured-scheduler.js'
import { Scheduler } from './scheduler/scheduler.js'
import { Watch } from './sight/watch.js'

/** The runtime and the build of the core for the wheels of an entry. */
export interface Platform {
  readonly host: Host
  readonly openBackend: OpenBackend
  readonly openCore: OpenCore
}

/** With this budget a slice runs one callback. */
const ONE_BY_ONE = 0

type SchedulerOptions = Omit<CheckedOptions, 'driver' | 'asyncContext'>

/** The options of the shared wheel besides its budget. */
export const SHARED = { tick: DEFAULT_TICK, maxPending: FOREVER, unref: false, name: 'shared' }

export function openScheduler(open: OpenBackend, host: Host, options: SchedulerOptions): Scheduler {
  const { tick, budget, maxPending, unref, name, measure } = options
  const scheduler =
    maxPending === FOREVER && !unref
      ? new Scheduler(open, host, tick, budget)
      : new ConfiguredScheduler(open, host, options)
  scheduler.name = name
  scheduler.watch = new Watch(name, measure)
  return scheduler
}

/** The backend of the scheduler is a `VirtualTimeBackend`. */
export function openVirtualTimeScheduler({ host, openCore }: Platform, options: SchedulerOptions): Scheduler {
  return openScheduler(
    (tick, client) => new (onDemand().VirtualTimeBackend)(openCore(), tick, client),
    {
      ...host,
      // The caller of advance() gets the errors of callbacks.
      reportsErrors: () => false,
    },
    { ...options, budget: ONE_BY_ONE },
  )
}
