/** The pending timers of a wheel. Pages without the class of wheels do not load this. */
import type { UnexpiredTimer } from '../api/wheel.js'
import { idOf } from './id-space.js'
import { pendingUnits } from './order-numbers.js'
import type { Scheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

/** Returns the records of the pending timers of a wheel that is not stopped, in the order in which the timers will run. */
function unitsByDeadline(scheduler: Scheduler): number[] {
  scheduler._readClock()
  return scheduler._units().sort((a, b) => scheduler._due(a) - scheduler._due(b))
}

/** Returns the handles and ids of the pending timers, in the order in which they will run. */
export function handlesAndIds(scheduler: Scheduler): (Timeout | number)[] {
  if (scheduler._stopped) return []
  return unitsByDeadline(scheduler).flatMap((unit) => {
    const target = scheduler._targetOf(unit)
    if (typeof target === 'function') return idOf(scheduler, unit)
    return target instanceof Timeout ? target : []
  })
}

/** Returns the pending timers in the order in which they would have run, with their targets instead of handles. */
export function unexpired(scheduler: Scheduler): UnexpiredTimer[] {
  const units = unitsByDeadline(scheduler)
  const now = scheduler._readClock()
  return units.map((unit) => {
    const target = scheduler._targetOf(unit)!
    const remaining = (scheduler._due(unit) - now) * scheduler._tick!
    return typeof target === 'function'
      ? { callback: target, args: [scheduler._argumentOf(unit)], remaining }
      : { callback: target._callback as never, args: target._args, remaining, timeout: target as never }
  })
}

/** Cancels all timers, an interval whose callback runs too. Returns their number. If it is interrupted, some are left. O(n). */
export function clearAll(scheduler: Scheduler): number {
  let count = 0
  for (const unit of pendingUnits(scheduler._words())) {
    const target = scheduler._targetOf(unit)
    if (!target) continue
    try {
      // Not a method that the program has given to the handle.
      if (target instanceof Timeout) Timeout.prototype.close.call(target)
      else if (typeof target === 'object' && target._cancel) target._cancel()
      else scheduler._cancel(unit)
    } catch (error) {
      // If the timer has ended, its handle is frozen and cannot show that.
      if (scheduler._targetOf(unit)) throw error
    }
    count++
  }
  return count
}
