/**
 * The scheduler of one wheel: a single object, made of a chain of classes. The lowest comes first; each extends the one before it:
 *
 *   records        the records of the shared memory
 *   epoch-clock    the clock, order numbers, the log of refreshes
 *   far-deadlines  deadlines beyond the range of ticks
 *   deadlines      schedule, move, cancel
 *   lazy-refresh   refresh of handles
 *   id-timers      timers without handles
 *   runs           running one due timer
 *   expiry         running due timers in slices
 *   group-timers   timers of groups
 *   scheduler      intervals, stop, trim (this file)
 *
 * It is one object because a call or a field in another object costs a load on paths that take a few nanoseconds.
 */

import { CLEAR } from '../../common/handle-brand.js'
// biome-ignore format: a list of words
import {
  DEFERRED, EXPIRATIONS_CAPACITY, ORDER_NUMBER, RECORDS_PER_BLOCK, REFERENCED, SPARE, UNREFERENCED, USED,
} from '../../memory/layout.js'
import { GroupTimers, isGroup } from './group-timers.js'
import type { Handle } from './timer-target.js'

export class Scheduler extends GroupTimers {
  /** The name that the program has given to the wheel; empty: none. */
  name = ''
  readonly isUnref: boolean = false
  /** The interval whose callback is running, and its record, which is kept for the next run. */
  runningInterval: Handle | undefined
  keptUnit = 0

  checkRoom(): void {}

  /** Ends the wait of an interval that is about to run. Its record is kept for its next run, because the wheel can be full. */
  endDueInterval(unit: number, referenced: boolean, interval: Handle): void {
    this.endDue(unit, referenced)
    this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    this.runningInterval = interval
    this.keptUnit = unit
  }

  /** Whether the callback of this interval is running. */
  isRunningInterval(handle: Handle): boolean {
    return !this.stopped && this.runningInterval === handle
  }

  /** Continues an interval whose callback was interrupted. */
  recover(): void {
    if (this.runningInterval !== undefined) this.runningInterval.resume()
  }

  /** Schedules the next run of an interval: see {@link scheduleAt}. */
  scheduleNextRun(interval: Handle, due: number, referenced: boolean): number {
    const kept = this.runningInterval === interval ? this.keptUnit : 0
    const unit = this.scheduleAt(interval, interval._ms, due, referenced, kept, this.step)
    this.runningInterval = undefined
    this.keptUnit = 0
    this.totals.reruns++
    return unit
  }

  /** Frees the kept record of an interval that does not run again. */
  freeKeptRecord(): void {
    this.restoreViews()
    const unit = this.keptUnit
    this.runningInterval = undefined
    this.keptUnit = 0
    // A stopped wheel takes no records back.
    if (this.stopped) return
    this.words[(unit << 2) | ORDER_NUMBER] = this.free
    this.free = unit
  }

  /** Cancels all timers, an interval whose callback runs too. Returns their number. If it is interrupted, some are left. O(n). */
  clear(): number {
    let count = 0
    if (this.stopped) return count
    for (const unit of this.pendingUnits()) {
      const target = this.targetOf(unit)!
      count += isGroup(target) ? target.size : 1
      if (typeof target !== 'function') this.clearHandle(target, unit)
      else if (this.idOf(unit) !== 0) this.cancelId(unit)
      else this.endUnnamed(unit)
    }
    const running = this.runningInterval
    if (running?.keepsPlace) {
      count++
      running[CLEAR] = true
    }
    return count
  }

  /** Clears a timer. Only an interruption throws. */
  private clearHandle(handle: Handle, unit: number): void {
    try {
      handle[CLEAR] = true
    } catch (error) {
      // If the timer has ended, its handle is frozen and cannot note that.
      if (this.targetOf(unit) === handle) throw error
    }
  }

  /** Ends all timers. `close` follows. */
  stop(): void {
    const { words } = this
    this.stopped = true
    words[REFERENCED] = words[UNREFERENCED] = 0
    this.free = 0
    this.totals.passed += this.next - EXPIRATIONS_CAPACITY
    this.next = EXPIRATIONS_CAPACITY
  }

  /** Frees what a stopped wheel holds. After an interruption it can be repeated. */
  close(): void {
    this.pool?.giveBack()
    this.ids.release()
    this.backend.close()
    this.targets.length = this.targetArguments.length = 0
    this.runningInterval = undefined
  }

  /**
   * Gives memory back, down to that of a new wheel, if nothing is pending. A running interval counts as pending: its record
   * is in use. Handles of ended timers refer to no record.
   */
  trim(): void {
    this.closeEmptied()
    if (this.stopped || this.words[SPARE] === 0 || this.records !== 0 || this.keptUnit !== 0) return
    this.commitDeferred()
    // An interruption between these calls does no harm while nothing is pending.
    this.ids.giveBack()
    this.pool?.giveBack()
    this.forgetFar()
    this.forgetLog()
    if (!this.backend.core.renew(this.advanced, this)) return

    const { words } = this
    words[SPARE] = words[USED] = words[DEFERRED] = 0
    this.totals.passed += this.next
    this.used = this.free = this.next = 0
    this.targets.length = this.targetArguments.length = 0
    this.capacity = RECORDS_PER_BLOCK
    this.waitsForTick = false
    // The next operation opens an epoch.
    this.epochEnd = 0
  }
}
