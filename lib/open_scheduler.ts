/** Opens a wheel's scheduler over the driver that was asked for. */
import type { OpenBackend, OpenCore } from './backend.js'
import { ManualBackend } from './drivers/manual.js'
import type { Host } from './host.js'
import { Scheduler } from './scheduler.js'

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
export function openManualScheduler(
  { host, openCore }: Platform,
  tick: number,
): { scheduler: Scheduler; manual: ManualBackend } {
  let manual!: ManualBackend
  const scheduler = new Scheduler(
    (tick, client) => {
      manual = new ManualBackend(openCore(), tick, client, host.drain)
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
