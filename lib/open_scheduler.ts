/** Opens a wheel's scheduler over the driver that was asked for. */
import type { Driver, OpenCore, OpenDriver } from './backend.js'
import { ManualBackend } from './drivers/manual.js'
import type { Host } from './host.js'
import { Scheduler } from './scheduler.js'

/** What an entry gives its wheels: where they run. */
export interface Platform {
  readonly host: Host
  readonly openBackend: OpenDriver
  readonly openCore: OpenCore
}

/** With no budget, and a clock that stands still, a scheduler runs one callback at a time, and reads no clock for it. */
function oneByOne(host: Host): Host {
  return { ...host, now: () => 0 }
}

export function openScheduler(
  { host, openBackend }: Platform,
  tick: number,
  budget: number,
  driver: Driver = 'host',
): Scheduler {
  return host.steps === undefined
    ? new Scheduler((tick, client) => openBackend(tick, client, budget, driver), host, tick, budget)
    : new Scheduler((tick, client) => openBackend(tick, client, budget, driver), oneByOne(host), tick, 0)
}

/** Opens a scheduler in virtual time. */
export function openManualScheduler(
  { host, openCore }: Platform,
  tick: number,
): { scheduler: Scheduler; manual: ManualBackend } {
  let manual!: ManualBackend
  const scheduler = new Scheduler(
    (tick, client) => {
      manual = new ManualBackend(openCore(), tick, client)
      return manual
    },
    {
      ...oneByOne(host),
      drain: () => {
        manual.count()
        host.drain?.()
      },
    },
    tick,
    0,
  )
  return { scheduler, manual }
}
