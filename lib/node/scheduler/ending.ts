/** The ends of all timers of a wheel, and of the wheel itself. */
import { CLEAR } from '../../common/symbols.js'
import { EXPIRATIONS_CAPACITY, REFERENCED, UNREFERENCED } from '../../memory/layout.js'
import type { Scheduler } from './scheduler.js'
import { isGroup, type TimerTarget } from './timer-target.js'

/** Cancels all timers, an interval whose callback runs too. Returns their number. O(n). */
export function clear(scheduler: Scheduler): number {
  let count = 0
  if (scheduler.stopped) return count
  for (const unit of scheduler.pendingUnits()) {
    const target = scheduler.targetOf(unit)!
    count += isGroup(target) ? target.size : 1
    end(scheduler, unit, target)
  }
  const running = scheduler.runningInterval
  if (running?.keepsRoom) {
    count++
    running[CLEAR] = true
  }
  return count
}

/** Cancels the timer of a record. */
export function end(scheduler: Scheduler, unit: number, target: TimerTarget): void {
  if (typeof target === 'object') {
    try {
      target[CLEAR] = true
    } catch (error) {
      // If the timer has ended, its handle is frozen and cannot show that.
      if (scheduler.targetOf(unit) === target) throw error
    }
  } else scheduler.cancelId(unit)
}

/** Ends all timers, and frees what the wheel holds. */
export function stop(scheduler: Scheduler): void {
  const { words } = scheduler
  scheduler.stopped = true
  // No reschedule is deferred.
  scheduler.epochEnd = 0
  words[REFERENCED] = words[UNREFERENCED] = 0
  scheduler.free = 0
  scheduler.totals.passed += scheduler.next - EXPIRATIONS_CAPACITY
  scheduler.next = EXPIRATIONS_CAPACITY
  for (const unit of scheduler.pendingUnits()) {
    const target = scheduler.targetOf(unit)!
    if (typeof target === 'object') target.detach?.()
  }
  for (const group of scheduler.groupsOfPending()) group.drop()
  scheduler.backend.close()
  scheduler.targets.length = scheduler.targetArguments.length = 0
  scheduler.runningInterval = undefined
}
