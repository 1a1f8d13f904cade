/** The ends of all timers of a wheel, of the wheel itself, and of memory that it does not need. */
import { CLEAR } from '../../common/handle-brand.js'
// biome-ignore format: a list of words
import {
  DEFERRED, EXPIRATIONS_CAPACITY, RECORDS_PER_BLOCK, REFERENCED, SPARE, UNREFERENCED, USED,
} from '../../memory/layout.js'
import { endUnnamed, idOf } from './id-timers.js'
import { pendingUnits } from './records.js'
import { forgetLog } from './refreshes.js'
import type { Scheduler } from './scheduler.js'
import { isGroup, type TimerTarget } from './timer-target.js'

/** Cancels all timers, an interval whose callback runs too. Returns their number. If it is interrupted, some are left. O(n). */
export function clear(scheduler: Scheduler): number {
  let count = 0
  if (scheduler.stopped) return count
  for (const unit of pendingUnits(scheduler)) {
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

/** Cancels the timer of a record. Only an interruption throws. */
export function end(scheduler: Scheduler, unit: number, target: TimerTarget): void {
  if (typeof target === 'object') {
    try {
      target[CLEAR] = true
    } catch (error) {
      // If the timer has ended, its handle is frozen and cannot show that.
      if (scheduler.targetOf(unit) === target) throw error
    }
  } else if (idOf(scheduler, unit) !== 0) scheduler.cancelId(unit)
  else endUnnamed(scheduler, unit)
}

/** Ends all timers. `close` follows. */
export function stop(scheduler: Scheduler): void {
  const { words } = scheduler
  scheduler.stopped = true
  words[REFERENCED] = words[UNREFERENCED] = 0
  scheduler.free = 0
  scheduler.totals.passed += scheduler.next - EXPIRATIONS_CAPACITY
  scheduler.next = EXPIRATIONS_CAPACITY
}

/** Frees what a stopped wheel holds. After an interruption it can be repeated. */
export function close(scheduler: Scheduler): void {
  scheduler.pool?.giveBack()
  scheduler.ids.release()
  scheduler.backend.close()
  scheduler.targets.length = scheduler.targetArguments.length = 0
  scheduler.runningInterval = undefined
}

/**
 * Gives memory back, down to that of a new wheel, if nothing is pending. A running interval counts as pending: its record
 * is in use. Handles of ended timers refer to no record.
 */
export function trim(scheduler: Scheduler): void {
  scheduler.emptied.close()
  if (scheduler.stopped || scheduler.words[SPARE] === 0) return
  if (scheduler.records !== 0 || scheduler.keptUnit !== 0) return
  scheduler.commitDeferred()
  // An interruption between these calls does no harm while nothing is pending.
  scheduler.ids.giveBack()
  scheduler.pool?.giveBack()
  scheduler.far.forget()
  forgetLog(scheduler)
  if (!scheduler.backend.core.renew(scheduler.advanced, scheduler)) return

  const { words } = scheduler
  words[SPARE] = words[USED] = words[DEFERRED] = 0
  scheduler.totals.passed += scheduler.next
  scheduler.used = scheduler.free = scheduler.next = 0
  scheduler.targets.length = scheduler.targetArguments.length = 0
  scheduler.capacity = RECORDS_PER_BLOCK
  scheduler.waitsForTick = false
  // The next operation opens an epoch.
  scheduler.epochEnd = 0
}
