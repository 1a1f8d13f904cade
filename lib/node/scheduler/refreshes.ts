/**
 * Lazy refresh: `refresh()` of a handle writes one number and nothing else.
 *
 * A timer with a handle has two deadlines:
 *
 *   registered   in its record; the core expires the record then
 *   true         follows from the handle: the time of its last refresh plus its delay
 *
 * A refresh only makes the true deadline later, so the registered one is never later than the true one. The refresh stores
 * an order number in the handle (`_order`, from `Timers.stamp`); a log has the time of that number (refresh-log.ts). With a million
 * timers each access to a record is a cache miss, so a refresh does not touch the record. The record gets its true deadline when
 * the registered one expires (expired-refreshes.ts), or before the delay of the handle changes (`applyRefresh`).
 *
 * A touch of a group's member does the same with a column of numbers instead of handles: see group-timers.ts.
 */
import {
  ARMED,
  CLOSED,
  DEADLINE,
  FIRST_STATE,
  NOW,
  SUBMITTED,
  UNFINISHED,
  WAKE,
} from '../../memory/layout.js'
import type { Records } from './records.js'
import { type Handle, NOT_REFRESHED } from './timer-target.js'

/** Logs the refreshes of the closed epoch. */
export const logRefreshes = (timers: Records): void => logUntil(timers, timers.reals[CLOSED]!)

/** Logs all refreshes that are not in the log yet. @param time a reading of the clock after them, in ticks */
export function logUntil(timers: Records, time: number): void {
  if (timers.lastRefresh < timers.unlogged) return
  logRefresh(timers, timers.unlogged, time)
  timers.unlogged = timers.order
}

/** Logs that the refreshes from `order` on were no later than `time`, in ticks. */
export function logRefresh(timers: Records, order: number, time: number): void {
  const units = time * timers.unitsPerTick
  timers.log.append(order, Math.ceil(units - units * timers.error))
  forgetRefreshes(timers)
}

/** Drops the refreshes that no pending timer can refer to. */
function forgetRefreshes(timers: Records): void {
  const { words } = timers
  if (words[SUBMITTED] !== 0 || words[UNFINISHED] !== 0 || timers.isRunning) return
  // All timers that were due earlier have run. A due time is rounded up to a tick.
  const now = Math.floor(timers.reals[NOW]!)
  const tick = (words[ARMED] === 0 ? now : Math.min(timers.unwrap(words[WAKE]!), now)) - 1
  timers.log.forget(tick * timers.unitsPerTick - timers.longestDelay * timers.unitsPerMs)
}

/** Brings all refreshes into the log. */
export function logAll(timers: Records): void {
  if (timers.lastRefresh >= timers.unlogged) timers.openSharedEpoch()
}

/** The true deadline of a refreshed handle, on the scale that does not wrap. The refresh must be in the log. */
export function refreshedDue(timers: Records, handle: Handle): number {
  return dueAfterRefresh(timers, handle._order, handle._ms)
}

/** The deadline of a timer with a delay in milliseconds, from the order number of its refresh. See `refreshedDue`. */
export function dueAfterRefresh(timers: Records, order: number, ms: number): number {
  const { unitsPerTick } = timers
  const time = timers.log.timeOf(order)
  const ticks = (time + ms * timers.unitsPerMs) / unitsPerTick
  const due = Math.max(Math.ceil(ticks - ticks * timers.error), Math.floor(time / unitsPerTick) + 1)
  const wrapped = due | 0
  return wrapped < 0 && wrapped >= FIRST_STATE ? due - wrapped : due
}

/** The due time of a pending timer, in ticks that do not wrap. Call `settledNow` first. */
export function dueOf(timers: Records, unit: number): number {
  const handle = timers.refreshedHandle(unit)
  if (handle !== undefined) return refreshedDue(timers, handle)
  return timers.far.dueOf(unit) || timers.unwrap(timers.words[(unit << 2) + DEADLINE]!)
}

/** Writes the true deadline of a refreshed handle into its record. Then the handle's delay can change. O(log n). */
export function applyRefresh(timers: Records, unit: number, handle: Handle): void {
  if (handle._order < 0) return
  if (handle._order >= timers.unlogged) timers.settledNow()
  // The call above can have renumbered the timers and applied all refreshes.
  if (handle._order >= 0) scheduleRefreshed(timers, unit, handle, refreshedDue(timers, handle))
}

/** Gives the record of a refreshed timer its true deadline `due`. */
export function scheduleRefreshed(timers: Records, unit: number, handle: Handle, due: number): void {
  timers.setDue(unit, due, handle._order)
  handle._order = NOT_REFRESHED
}
