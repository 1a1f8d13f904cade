/** The pending timers of a wheel. */
import type { PendingTimer } from '../api/wheel.js'
import { pendingUnits } from './order-numbers.js'
import type { Scheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

/** Returns the pending timers in the order in which they will run, with their targets instead of handles. */
export function pendingTimersOf(scheduler: Scheduler): PendingTimer[] {
  if (scheduler._stopped) return []
  const now = scheduler._readClock()
  const units = scheduler._units().sort((a, b) => scheduler._due(a) - scheduler._due(b))
  return units.map((unit) => {
    const target = scheduler._targetOf(unit)!
    const remaining = (scheduler._due(unit) - now) * (scheduler._tick ?? 1)
    if (typeof target === 'function')
      return { callback: target, args: [scheduler._argumentOf(unit)], remaining, hasRef: true }
    const hasRef = target instanceof Timeout ? target.hasRef() : true
    return {
      callback: target._callback as never,
      args: target._args,
      remaining,
      hasRef,
      timeout: target as never,
    }
  })
}

/** Takes out what is no timer of the program, and the targets that are no handles. */
export function forProgram(timers: PendingTimer[]): PendingTimer[] {
  // A member of a group or the timer of a signal is no handle.
  for (const timer of timers) if (!(timer.timeout instanceof Timeout)) delete timer.timeout
  // The timer of a map has no callback.
  return timers.filter(({ callback }) => callback)
}

/** Makes `pendingTimers` of the shared wheel, which does not open the wheel. */
export const pendingTimersOn = (shared: { readonly _scheduler?: Scheduler }) => (): PendingTimer[] =>
  shared._scheduler ? forProgram(pendingTimersOf(shared._scheduler)) : []

/** Cancels all timers, an interval whose callback runs too. Returns their number. O(n). */
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
