/** White-box: the numbers of a record or a place come to an end, which would take hours by public calls. */
import { expect, it } from '@jest/globals'
import type { TimerGroup } from '../../lib/api/group.js'
import { GENERATION } from '../../lib/memory/layout.js'
import { openWasmCore } from '../../lib/memory/wasm-core.js'
import { VirtualTimeBackend } from '../../lib/node/drivers/virtual-time.js'
import { openGroup } from '../../lib/node/group/group.js'
import { LAST_ROUND, USED_UP } from '../../lib/node/group/members.js'
import { nodeHost } from '../../lib/node/host/node-host.js'
import { GENERATIONS, PER_GENERATION, unitOfId } from '../../lib/node/scheduler/id-timers.js'
import { Scheduler } from '../../lib/node/scheduler/scheduler.js'

function open() {
  const core = openWasmCore()
  return { core, scheduler: new Scheduler((...how) => new VirtualTimeBackend(core, ...how), nodeHost, 1, 0) }
}

it('uses a record up to its last id, and never again', () => {
  const { core, scheduler } = open()
  const schedule = (): number => scheduler.scheduleId(() => {}, undefined, 1_000)
  const end = (id: number): number => {
    const unit = unitOfId(scheduler, id)
    scheduler.cancelId(unit)
    return unit
  }
  const unit = end(schedule())
  core.words[unit * 4 + GENERATION] = GENERATIONS - 2
  const last = schedule()
  expect(Number.isSafeInteger(last)).toBe(true)
  expect([end(last), unitOfId(scheduler, last)]).toEqual([unit, 0])
  const ids = Array.from({ length: 10 }, schedule)
  expect(ids.map((id) => unitOfId(scheduler, id))).not.toContain(unit)
  expect(new Set([last, ...ids]).size).toBe(11)
})

const addTo = (group: TimerGroup<number>, count: number): number[] =>
  Array.from({ length: count }, (_, i) => group.add(i))
const placeOf = (member: number): number => member % PER_GENERATION

/** A group with a member, and the columns of its wheel. */
function openColumns() {
  const { scheduler } = open()
  const group = openGroup<number>(
    () => scheduler,
    () => {},
    100,
    undefined,
  )
  const first = group.add(-1)
  const { pool } = group as unknown as { pool: { generations: Uint16Array; rounds: Uint16Array } }
  return { group, first, ...pool }
}

it('does not use a place again whose numbers are used up, while its span has a member', () => {
  const { group, first, generations } = openColumns()
  generations[1] = USED_UP - 2
  const last = group.add(0)
  expect([group.has(last), group.delete(last), group.has(last)]).toEqual([true, true, false])
  expect(addTo(group, 100).map(placeOf)).not.toContain(placeOf(last))
  expect([group.has(first), group.size]).toEqual([true, 101])
})

it('uses all places of a span again, with other numbers, when the numbers of all are used up', () => {
  const { group, first, generations } = openColumns()
  group.delete(first)
  generations.fill(USED_UP - 2, 0, 8)
  const last = addTo(group, 8)
  group.clear()
  const members = addTo(group, 8)
  expect(new Set(members.map(placeOf))).toEqual(new Set(last.map(placeOf)))
  expect(Math.max(...last)).toBeLessThan(Math.min(...members))
  for (const number of [first, ...last, ...members]) expect(group.has(number)).toBe(members.includes(number))
})

it('leaves a span alone after its last round', () => {
  const { group, first, generations, rounds } = openColumns()
  group.delete(first)
  generations.fill(USED_UP - 2, 0, 8)
  rounds[0] = LAST_ROUND
  const last = addTo(group, 8)
  group.clear()
  const members = addTo(group, 20)
  expect([...last, ...members].every(Number.isSafeInteger)).toBe(true)
  expect(Math.min(...members.map(placeOf)) - placeOf(first)).toBeGreaterThanOrEqual(8)
  expect([group.size, last.some((number) => group.has(number))]).toEqual([20, false])
})
