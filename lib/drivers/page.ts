/** The drivers of pages. Each is a wish: where the page cannot fulfil it, the wheel is driven as by `'host'`. */
import type { OpenCore, OpenDriver } from '../backend.js'
import type { PageHost } from '../host.js'
import type { OpenAlarm } from './alarm.js'
import { FrameTurns } from './animation_frame.js'
import { HostBackend } from './host.js'
import { StepTurns, type Turns } from './turns.js'
import { workerAlarms } from './worker.js'

/** The driver 'host' alone. */
export function pageDriver(openCore: OpenCore, host: PageHost): OpenDriver {
  return (tick, client, budget) =>
    new HostBackend(openCore(), host, tick, client, new StepTurns(host.steps, budget))
}

/** All of them. */
export function pageDrivers(openCore: OpenCore, host: PageHost): OpenDriver {
  let workerAlarm: OpenAlarm | undefined
  return (tick, client, budget, driver) => {
    let turns: Turns = new StepTurns(host.steps, budget)
    let openAlarm: OpenAlarm | undefined
    if (driver === 'animation-frame' && host.frames !== undefined) {
      turns = new FrameTurns(host, host.frames, budget, turns)
    } else if (driver === 'worker' && host.startWorker !== undefined) {
      workerAlarm ??= workerAlarms(host)
      openAlarm = workerAlarm
    }
    return new HostBackend(openCore(), host, tick, client, turns, openAlarm)
  }
}
