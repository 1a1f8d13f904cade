/** Refreshed handles whose registered deadline has expired: see refreshes.ts. They get their true deadlines. */
import { DEADLINE, EXPIRATIONS, EXPIRED, NOW, ORDER_NUMBER, TICK } from '../../memory/layout.js'
import type { Records } from './records.js'
import { logAll, refreshedDue, scheduleRefreshed } from './refreshes.js'
import { type Handle, NOT_REFRESHED } from './timer-target.js'

/** Gives the expired records of refreshed handles their true deadlines. */
export function applyRefreshes(scheduler: Records): void {
  const { words } = scheduler
  const count = words[EXPIRED]!
  scheduler.lastOrder = -1
  if (count === 0) return
  const before = scheduler.order
  logAll(scheduler)
  // If the call renumbered the timers, refreshed ones are scheduled already, or are here with their true deadlines.
  let isPast = scheduler.order < before
  // If the timers of a tick did not fit, the expirations end with the first of them.
  const tick = words[TICK]!
  const last = words[EXPIRATIONS + count - 1]! << 2
  if (words[last + DEADLINE] === tick) scheduler.lastOrder = words[last + ORDER_NUMBER]!
  let hasArguments = false
  const isBeforeTarget = scheduler.advanced > scheduler.reals[NOW]!
  for (let i = 0; i < count; i++) {
    const unit = words[EXPIRATIONS + i]!
    const handle = scheduler.refreshedHandle(unit)
    if (handle === undefined) {
      // Among a million timers each access is a cache miss. In this loop many misses overlap; between callbacks none do.
      if (scheduler.argumentOf(unit) !== undefined) hasArguments = true
      continue
    }
    const due = refreshedDue(scheduler, handle)
    // The timer was set and refreshed within one tick. The core has expired it by the first of the two times.
    if (isBeforeTarget && (due | 0) === scheduler.targetTick) scheduler.waitsForTick = true
    if (isAhead(scheduler, due, due | 0, handle._order)) {
      scheduleRefreshed(scheduler, unit, handle, due)
      words[EXPIRATIONS + i] = 0
    } else {
      // The core has already passed the deadline, so the timer is late and runs now.
      expireRefreshed(scheduler, unit, handle, due)
      isPast = true
    }
  }
  scheduler.hasArguments = hasArguments
  if (isPast) sortExpirations(scheduler)
}

/**
 * Whether the core has not come to a position in the order of all timers yet.
 *
 * @param due the tick of the position, on the scale that does not wrap
 * @param wrapped the deadline that a record there has
 */
export function isAhead(scheduler: Records, due: number, wrapped: number, order: number): boolean {
  const ahead = due > scheduler.advanced ? 1 : (wrapped - scheduler.words[TICK]!) | 0
  return ahead > 0 || (ahead === 0 && order > scheduler.lastOrder)
}

/** Sorts the expirations by deadline and order number again. */
function sortExpirations(scheduler: Records): void {
  const { words } = scheduler
  const units = words.subarray(EXPIRATIONS, EXPIRATIONS + words[EXPIRED]!)
  const sorted = Array.from(units)
    // The deadline of a cancelled record is a state, which has no order.
    .filter((unit) => scheduler.isPending(unit))
    .sort((a, b) => {
      const later = (words[(a << 2) + DEADLINE]! - words[(b << 2) + DEADLINE]!) | 0
      return later || words[(a << 2) + ORDER_NUMBER]! - words[(b << 2) + ORDER_NUMBER]!
    })
  units.set(sorted)
  units.fill(0, sorted.length)
}

/** Writes the true deadline of a refreshed timer that stays in the expirations. */
function expireRefreshed(scheduler: Records, unit: number, handle: Handle, due: number): void {
  const { words } = scheduler
  words[(unit << 2) + DEADLINE] = due | 0
  words[(unit << 2) + ORDER_NUMBER] = handle._order
  handle._order = NOT_REFRESHED
}
