/** White-box: the last ids of a record. A test from outside would take too long to reach them. */
import { expect, it } from '@jest/globals'
import { openWasmCore } from '../../lib/memory/instantiate-wasm.js'
import { GENERATION } from '../../lib/memory/layout.js'
import type { Backend } from '../../lib/node/drivers/backend.js'
import { nodeHost } from '../../lib/node/host/node-host.js'
import { GENERATIONS } from '../../lib/node/scheduler/id-space.js'
import { Scheduler } from '../../lib/node/scheduler/scheduler.js'

function openScheduler(): Scheduler {
  const core = openWasmCore()
  const backend: Backend = {
    core,
    now: () => 0,
    openEpoch: () => core.openEpoch(0),
    takeSubmissions: () => core.takeSubmissions(),
    dueTick: () => 0,
    advance: (target) => core.advance(target),
    hold: () => {},
    idle: () => {},
    hostResources: () => [],
    close: () => {},
  }
  return new Scheduler(() => backend, nodeHost, 1, Number.POSITIVE_INFINITY)
}

it('uses a record up to its last id, and never again', () => {
  const scheduler = openScheduler()
  const { words } = scheduler.backend.core
  const schedule = (): number => scheduler.scheduleId(() => {}, undefined, 1_000)
  const end = (id: number): number => {
    const unit = scheduler.unitOfId(id)
    scheduler.cancelId(unit)
    return unit
  }
  const unit = end(schedule())
  words[unit * 4 + GENERATION] = GENERATIONS - 2
  const last = schedule()
  expect(Number.isSafeInteger(last)).toBe(true)
  expect(end(last)).toBe(unit)
  expect(scheduler.unitOfId(last)).toBe(0)
  const ids = Array.from({ length: 10 }, schedule)
  expect(ids.map((id) => scheduler.unitOfId(id))).not.toContain(unit)
  expect(new Set([last, ...ids]).size).toBe(11)
})
