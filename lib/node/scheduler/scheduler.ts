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

import type { WheelStats } from '../../api/stats.js'
import type { Timeout } from '../../api/timeout.js'
import type { UnexpiredTimer } from '../../api/wheel.js'
import { CLEAR, HANDLE_BRAND } from '../../common/handle-brand.js'
import { msOf } from '../../common/ticks.js'
// biome-ignore format: a list of words
import {
  BASE_BLOCKS, BLOCK_BYTES, DEADLINE, DEFERRED, EXPIRATIONS_CAPACITY, NEVER, ORDER_NUMBER, RECORDS_PER_BLOCK, REFERENCED, SPARE, UNREFERENCED, USED,unitOfRecord, 
} from '../../memory/layout.js'
import type { TimeoutConstructor, WheelTimeout } from '../handles/timeout-types.js'
import { GroupTimers, isGroup } from './group-timers.js'
import type { Handle } from './timer-target.js'

export class Scheduler extends GroupTimers {
  /** The name that the program has given to the wheel; empty: none. */
  name = ''
  readonly isUnref: boolean = false
  /** The interval whose callback is running, and its record, which is kept for the next run. */
  protected runningInterval: Handle | undefined
  keptUnit = 0

  checkRoom(): void {}

  /** Returns the constructor of this wheel's handles. */
  handles(Timeout: TimeoutConstructor): TimeoutConstructor {
    return Timeout
  }

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

  /** The deadline of a pending timer, in milliseconds since the wheel was made. O(log n) after many refreshes. */
  deadlineOf(unit: number): number {
    return msOf(this.dueOf(unit, this.settledNow()), this.tick)
  }

  /** The milliseconds until a pending timer is due; negative if it is late. */
  remainingOf(unit: number): number {
    const now = this.settledNow()
    return msOf(this.dueOf(unit, now) - now, this.tick)
  }

  /** The handles and ids of the pending timers, in the order in which they will run. Members of groups have neither. */
  handlesAndIds(): (Timeout | number)[] {
    if (this.stopped) return []
    const now = this.settledNow()
    const found: { value: Timeout | number; tick: number; order: number }[] = []
    for (const unit of this.pendingUnits()) {
      const target = this.targetOf(unit)!
      const value =
        typeof target === 'function' ? this.idOf(unit) : HANDLE_BRAND in target && (target as WheelTimeout)
      if (value) found.push({ value, tick: Math.ceil(this.dueOf(unit, now)), order: this.orderOf(unit) })
    }
    found.sort((a, b) => a.tick - b.tick || a.order - b.order)
    return found.map(({ value }) => value)
  }

  /** What the wheel has counted: see totals.ts. */
  get stats(): WheelStats {
    const { totals, pending, fired } = this
    const ofHandles = totals.scheduled + this.scheduled - totals.ownRefreshes
    const members = totals.removed + this.added
    const scheduled = ofHandles - totals.groups + members
    // The timers that became pending by their own runs, and those that ended in them.
    const byRuns =
      totals.reruns + totals.ownRefreshes - totals.droppedRefreshes + totals.clearedRuns + totals.entryRuns
    return {
      pending,
      scheduled,
      fired,
      cancelled: scheduled + byRuns - fired - pending,
      refreshed: totals.operations + this.order - ofHandles - members - totals.reruns - totals.mapMoves,
      slices: totals.slices,
      wakeUps: totals.wakeUps,
      overruns: totals.overruns,
      bytes: this.bytes,
      ...this.watch?.stats,
    }
  }

  /** The memory of the timers, in bytes, without handles and what they refer to. */
  private get bytes(): number {
    if (this.stopped) return 0
    const blocks = this.targets.filter(Boolean).length + this.targetArguments.filter(Boolean).length
    const { blocks: shared } = this.backend.core
    const members = this.pool?.bytes ?? 0
    return (BASE_BLOCKS + shared) * BLOCK_BYTES + blocks * RECORDS_PER_BLOCK * 8 + this.log.bytes + members
  }

  /**
   * Pairs of a delay in milliseconds and the number of timers that have it, for `timeout-wheel top`. The timers of `schedule` and of
   * maps do not know their delay: what is left of it counts.
   *
   * @param most the number of records to look at. Of more, every n-th stands for n
   */
  pendingDelays(most: number): [ms: number, timers: number][] {
    if (this.stopped) return []
    const now = this.settledNow()
    const each = Math.max(1, Math.ceil(this.used / most))
    const delays: [number, number][] = []
    for (let n = 0; n < this.used; n += each) {
      const unit = unitOfRecord(n)
      if (this.words[(unit << 2) + DEADLINE] === NEVER) continue
      const target = this.targetOf(unit)!
      if (isGroup(target)) delays.push([target.delay, target.size])
      else if (typeof target === 'object' && !target.isHidden) delays.push([target._ms, each])
      else delays.push([Math.max((this.dueOf(unit, now) - now) * this.tick, 0), each])
    }
    return delays
  }

  /** The pending timers, in the order in which they would have run. */
  unexpired(): UnexpiredTimer[] {
    const now = this.settledNow()
    const left: { timer: Omit<UnexpiredTimer, 'remaining'>; due: number; order: number }[] = []
    for (const unit of this.pendingUnits()) {
      const target = this.targetOf(unit)!
      if (isGroup(target)) {
        for (const { item, due, order } of target.unexpired()) {
          left.push({ timer: { ...target.invocation, args: [item] }, due, order })
        }
        continue
      }
      if (typeof target === 'object' && target.isHidden) continue
      const due = this.dueOf(unit, now)
      const timer =
        typeof target === 'function' ? { callback: target, args: [this.argumentOf(unit)] } : target.invocation
      left.push({ timer, due, order: this.orderOf(unit) })
    }
    left.sort((a, b) => Math.ceil(a.due) - Math.ceil(b.due) || a.order - b.order)
    return left.map(({ timer, due }) => ({ ...timer, remaining: msOf(due - now, this.tick) }))
  }

  /** The number of a pending timer in the order of its tick. */
  private orderOf(unit: number): number {
    return this.refreshedHandle(unit)?._order ?? this.words[(unit << 2) + ORDER_NUMBER]!
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
