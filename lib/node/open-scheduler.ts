/** Opens the scheduler of a wheel, in real time or in virtual time. */
import type { OpenCore } from '../memory/core.js'
import type { OpenBackend } from './drivers/backend.js'
import { VirtualTimeBackend } from './drivers/virtual-time.js'
import type { Host } from './host/host.js'
import { Scheduler } from './scheduler/scheduler.js'

/** The runtime and the build of the core for the wheels of an entry. */
export interface Platform {
  readonly host: Host
  readonly openBackend: OpenBackend
  readonly openCore: OpenCore
}

/** With this budget a slice runs one callback. */
const ONE_BY_ONE = 0

export function openScheduler({ host, openBackend }: Platform, tick: number, budget: number): Scheduler {
  return new Scheduler(openBackend, host, tick, budget)
}

export function openVirtualTimeScheduler(
  { host, openCore }: Platform,
  tick: number,
): { scheduler: Scheduler; manual: VirtualTimeBackend } {
  let manual!: VirtualTimeBackend
  const scheduler = new Scheduler(
    (tick, client) => {
      manual = new VirtualTimeBackend(openCore(), tick, client, host.drain)
      return manual
    },
    {
      ...host,
      // The caller of advance() gets the errors of callbacks.
      reportsErrors: () => false,
      report: () => false,
    },
    tick,
    ONE_BY_ONE,
  )
  return { scheduler, manual }
}
