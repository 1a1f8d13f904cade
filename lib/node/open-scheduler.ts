/** Opens a wheel's scheduler over the driver that was asked for. */
import type { OpenCore } from '../memory/core.js'
import type { OpenBackend } from './drivers/backend.js'
import { VirtualTimeBackend } from './drivers/virtual-time.js'
import type { Host } from './host/host.js'
import { Scheduler } from './scheduler/scheduler.js'

/** What an entry gives its wheels: where they run. */
export interface Platform {
  readonly host: Host
  readonly openBackend: OpenBackend
  readonly openCore: OpenCore
}

/** With no budget a scheduler runs one callback at a time. */
const ONE_BY_ONE = 0

export function openScheduler({ host, openBackend }: Platform, tick: number, budget: number): Scheduler {
  return new Scheduler(openBackend, host, tick, budget)
}

/** Opens a scheduler in virtual time. */
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
      // What callbacks throw is for the caller of advance().
      reportsErrors: () => false,
      report: () => false,
    },
    tick,
    ONE_BY_ONE,
  )
  return { scheduler, manual }
}
