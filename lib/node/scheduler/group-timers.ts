/**
 * The timers of groups. A group has one record for all of its members, which is due no later than its first member. When the
 * record expires, the group runs that member. Then it gives the record the position of the next member in the order of all timers.
 *
 * The time of a member's last add or touch is in the log of refreshes, as for a refreshed handle: see refreshes.ts.
 */
// biome-ignore format: a list of words
import {
  DEADLINE, EXPIRATIONS, EXPIRATIONS_CAPACITY, EXPIRED, FIRST_STATE, INEXACT, NEVER, ORDER_NUMBER, REFERENCED,
  UNREFERENCED,
} from '../../memory/layout.js'
import { setDue } from './at-time.js'
import { isAhead } from './expired-refreshes.js'
import { dueAfterRefresh, dueOf, logAll } from './refreshes.js'
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
  // Commit: no calls, so that the counts stay right.
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
  // Commit, as above.
  group.unit = 0
  scheduler.groups--
}

/** Makes a record due at the tick `due`, unless it is due earlier. */
export function advanceGroup(scheduler: Scheduler, unit: number, due: number): void {
  // Its turn has come, or comes in the present pass.
  const tick = Math.max(due, scheduler.advanced + 1)
  if (dueOf(scheduler, unit, scheduler.settledNow()) >= tick) setDue(scheduler, unit, tick, 0)
}

/**
 * Gives a record whose turn it is the position of the group's first member in the order of all timers.
 *
 * @param due the tick at which the member is due
 * @param order the member's order number
 * @returns whether it is that member's turn now. Otherwise the turn ends without a callback
 */
export function moveGroup(scheduler: Scheduler, unit: number, due: number, order: number): boolean {
  const { words } = scheduler
  const record = unit << 2
  let tick = due | 0
  if (tick < 0 && tick >= FIRST_STATE) tick = 0
  if (isAhead(scheduler, due, tick, order)) {
    setDue(scheduler, unit, due, order)
    scheduler.next++
    scheduler.totals.skipped++
    // No callback has run, here and below.
    scheduler.isUndrained = false
    return false
  }
  const first = EXPIRATIONS + scheduler.next + 1
  const at = positionAmongExpirations(scheduler, first, tick, order)
  words[record + DEADLINE] = tick
  words[record + ORDER_NUMBER] = order
  scheduler.memberTick = due
  if (at === first) return true
  moveExpiration(scheduler, unit, at)
  scheduler.isUndrained = false
  return false
}

/** Moves the present expiration to the position before `at`. The shorter part of the other expirations moves by one. */
function moveExpiration(scheduler: Scheduler, unit: number, at: number): void {
  const { words } = scheduler
  const first = EXPIRATIONS + scheduler.next + 1
  const end = EXPIRATIONS + words[EXPIRED]!
  if (at - first <= end - at || words[EXPIRED] === EXPIRATIONS_CAPACITY) {
    words.copyWithin(first - 1, first, at)
    words[at - 1] = unit
    if (words[EXPIRED] === EXPIRATIONS_CAPACITY) forgetPassed(scheduler)
    return
  }
  words.copyWithin(at + 1, at, end)
  // Commit: no calls from here on.
  words[at] = unit
  words[EXPIRED] = words[EXPIRED]! + 1
  scheduler.next++
  scheduler.totals.skipped++
}

/** Makes room behind the expirations, if half of them have passed. */
function forgetPassed(scheduler: Scheduler): void {
  const { words, next } = scheduler
  if (next < EXPIRATIONS_CAPACITY / 2) return
  words.copyWithin(EXPIRATIONS, EXPIRATIONS + next, EXPIRATIONS + words[EXPIRED]!)
  // Commit: no calls from here on. The copy does not overlap the expirations.
  scheduler.totals.passed += next
  words[EXPIRED] = words[EXPIRED]! - next
  scheduler.next = 0
}

/** The position of a deadline and order number among the expirations from `first` on. O(log n) without cancelled ones. */
function positionAmongExpirations(scheduler: Scheduler, first: number, tick: number, order: number): number {
  const { words } = scheduler
  let low = first
  let high = EXPIRATIONS + words[EXPIRED]!
  while (low < high) {
    const middle = (low + high) >>> 1
    let at = middle
    let comparison = compareExpiration(scheduler, words[at]!, tick, order)
    while (comparison === 0 && ++at < high) comparison = compareExpiration(scheduler, words[at]!, tick, order)
    if (comparison < 0) low = at + 1
    else high = middle
  }
  return low
}

/** Below 0: an expiration runs before a deadline and order number. 0: it does not run in this pass any more. */
function compareExpiration(
  { words, targetTick }: Scheduler,
  unit: number,
  tick: number,
  order: number,
): number {
  const record = unit << 2
  const deadline = words[record + DEADLINE]!
  // A callback has cancelled or moved it.
  if (unit === 0 || deadline === NEVER || ((targetTick - deadline) | 0) < 0) return 0
  return (deadline - tick) | 0 || words[record + ORDER_NUMBER]! - order
}
