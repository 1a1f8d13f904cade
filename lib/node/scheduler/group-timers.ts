/**
 * The timers of groups. A group has one record for all of its members, which is due no later than its first member. When the
 * record expires, the group runs all members that are due, one after the other. Then the record waits for the next member.
 *
 * The time of a member's last add or touch is in the log of refreshes, as for a refreshed handle: see refreshes.ts.
 */
import { DEADLINE, INEXACT, ORDER_NUMBER, REFERENCED, UNREFERENCED } from '../../memory/layout.js'
import { dueAfterRefresh, dueOf, logAll } from './refreshes.js'
import { MAX_LAG } from './renumber.js'
import type { Scheduler } from './scheduler.js'
import type { GroupRecord } from './timer-target.js'

/** The tick at which a member is due, with a delay in milliseconds. @param order its order number */
export function memberDue(scheduler: Scheduler, order: number, ms: number): number {
  if (order >= scheduler.unlogged) logAll(scheduler)
  return dueAfterRefresh(scheduler, order, ms)
}

/** An order number: the operations from it on were after a time in milliseconds, and those before it were not. */
export function orderAfter(scheduler: Scheduler, time: number): number {
  logAll(scheduler)
  return scheduler.log.orderAfter(time * scheduler.unitsPerMs) ?? scheduler.order
}

/** Schedules the record of a group for its first member. */
export function startGroup(scheduler: Scheduler, group: GroupRecord): void {
  const unit = scheduler.schedule(0, group, group._ms)
  const { words } = scheduler
  group.unit = unit
  // Members that are added later in the same tick are due in the same tick, and later within it.
  words[INEXACT] = 1
  scheduler.groups++
  scheduler.totals.groups++
  if (group.keepsAlive) return
  words[REFERENCED] = words[REFERENCED]! - 1
  words[UNREFERENCED] = words[UNREFERENCED]! + 1
  if (words[REFERENCED] === 0) scheduler.backend.idle()
}

/** Ends the record of a group. */
export function endGroup(scheduler: Scheduler, group: GroupRecord): void {
  scheduler.cancel(group.unit, group.keepsAlive)
  group.unit = 0
  scheduler.groups--
}

/** Makes a record due at the tick `due`, unless it is due earlier. */
export function advanceGroup(scheduler: Scheduler, unit: number, due: number): void {
  // Its turn has come, or comes in the present pass.
  const tick = Math.max(due, scheduler.advanced + 1)
  scheduler.settledNow()
  if (dueOf(scheduler, unit) >= tick) scheduler.setDue(unit, tick, 0)
}

/** Ends the turn of a record: the group has nothing to do before the tick `due`. @param order that of the member which is due then */
export function postponeGroup(scheduler: Scheduler, unit: number, due: number, order: number): void {
  scheduler.setDue(unit, due, order)
  // No callback has run.
  scheduler.next++
  scheduler.totals.skipped++
  scheduler.isUndrained = false
}

/** Notes that a member runs now: the record gets its deadline and its order number. */
export function noteRun(scheduler: Scheduler, unit: number, due: number, order: number): void {
  const { words } = scheduler
  // A deadline from longer ago would look like one that is to come.
  if (due > scheduler.advanced - MAX_LAG) words[(unit << 2) | DEADLINE] = due | 0
  words[(unit << 2) | ORDER_NUMBER] = order
  scheduler.memberTick = due
  scheduler.totals.memberRuns++
}
