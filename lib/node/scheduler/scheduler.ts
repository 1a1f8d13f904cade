/**
 * The scheduler of one wheel: runs the timers of timers.ts in slices.
 *
 * The core appends due records to the expirations, in order. A slice goes through them and runs one timer after the other
 * until its budget is used up (slice-budget.ts); the driver calls again for the rest in the next turn of the event loop.
 * A callback can do anything: cancel or move timers, stop the wheel, throw. So each record is checked just before it runs.
 *
 * Beside the two classes: functions for what is rare (records, renumber, unusual-delays, at-time, runs) or belongs to one feature
 * (id-timers, refreshes, group-timers), and for what only looks (looks). Objects with a state of their own: far-deadlines,
 * refresh-log, slice-budget, totals.
 */
// biome-ignore format: a list of words
import {
  ARMED, BLOCK_SHIFT, DEADLINE, DISPATCHED, DONE, EXPIRATIONS, EXPIRATIONS_CAPACITY, EXPIRED, GENERATION, MORE, NEVER, NOW,
  ORDER_NUMBER, RECORD_MASK, RECORDS_PER_BLOCK, TICK, UNFINISHED, WAKE,
} from '../../memory/layout.js'
import type { Client, OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/node-host.js'
import { scheduleAt } from './at-time.js'
import { applyRefreshes } from './expired-refreshes.js'
import { FAR } from './far-deadlines.js'
import { GENERATIONS, PER_GENERATION } from './id-timers.js'
import { applyRefresh, dueOf } from './refreshes.js'
import { MAX_LAG } from './renumber.js'
import { beginRuns, runWatched, type SliceWatch } from './runs.js'
import { SliceBudget } from './slice-budget.js'
import type { Callback, ProgramHandle } from './timer-target.js'
import { Timers } from './timers.js'

/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export class Scheduler extends Timers implements Client {
  /** The name that the program has given to the wheel; empty: none. */
  name = ''
  readonly slice: SliceBudget
  /** Whether handles report the errors of their callbacks: the program handles errors. */
  reportsErrors = false
  /** The interval whose callback is running, and its record, which is kept for the next run. */
  runningInterval: ProgramHandle | undefined
  keptUnit = 0
  /** A callback has run, but not yet the next ticks and microtasks that it queued. */
  isUndrained = false
  watch: SliceWatch | undefined
  /** Whether callbacks of this slice are watched. */
  isWatched = false
  /** The tick at which the last member of a group or entry of a map was due, on the scale that does not wrap. */
  memberTick = 0

  /** `open` gets this object before the fields above have their values. It stores the object, and calls it later. */
  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    super((timers) => open(tick, timers as Scheduler), host, tick)
    this.slice = new SliceBudget(budget)
  }

  /**
   * Runs due timers for one slice. The caller calls again for the rest.
   *
   * Next ticks and microtasks of a callback run before the next callback. The host runs those of the last callback, without
   * a frame of this package on the stack: V8 keeps ten frames, and async stack traces need them for the program. So only
   * this function calls `drain`.
   *
   * @returns whether due timers are left
   * @throws the error of a callback
   */
  dispatch(): boolean {
    if (this.stopped) return false
    this.restoreViews()
    const words = this.words
    const { host } = this
    const { drain, reportTick } = host
    const started = host.now()
    this.slice.begin(started, this.pending)
    beginRuns(this)
    this.isUndrained = false
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) this.expireDue()
    for (;;) {
      if (this.waitsForTick) return this.waitForTickEnd()
      while (this.next < this.countExpired()) {
        const unit = this.words[EXPIRATIONS + this.next]!
        // Before `drain`, because the host runs the queues if nothing else is due.
        if (!this.isPending(unit)) {
          this.next++
          this.totals.skipped++
          continue
        }
        if (ran === checkAt) {
          const elapsed = host.now() - started
          const left = this.timeLeft(elapsed, started, this.words[(unit << 2) | DEADLINE]!)
          if (left <= 0) return this.endSlice(started + elapsed, ran)
          // The number of callbacks that surely fit if they take as long as those so far.
          checkAt += Math.max(1, Math.min(LONGEST_STRIDE, (left * ran) / (4 * elapsed)) | 0)
        }
        if (this.isUndrained) {
          this.isUndrained = false
          if (reportTick === undefined) drain?.()
          else {
            try {
              drain?.()
            } catch (error) {
              reportTick(error)
            }
          }
          if (this.stopped) return false
          // A queued function can have detached the views.
          this.restoreViews()
        }
        if (!this.isDue(unit)) {
          this.next++
          this.totals.skipped++
          continue
        }
        ran++
        this.isUndrained = true
        if (this.isWatched) runWatched(this, unit)
        else this.run(unit)
        if (this.stopped) return false
      }
      if (this.words[UNFINISHED] === 0) return this.endPass(ran)
      const elapsed = host.now() - started
      if (this.timeLeft(elapsed, started, this.words[TICK]!) <= 0)
        return this.endSlice(started + elapsed, ran)
      this.expireRest()
    }
  }

  /** Ends a timer and runs it. */
  run(unit: number): void {
    const target = this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]!
    if (typeof target === 'function') {
      const argument = this.hasArguments ? this.argumentOf(unit) : undefined
      this.cancelId(unit)
      this.next++
      target(argument)
    } else {
      target.expire()
    }
  }

  /** Ends the timer that is about to run. The handle knows it before any other call. O(1). */
  endDue(unit: number, referenced: boolean): void {
    this.cancel(unit, referenced)
    this.next++
  }

  /** The number of callbacks that have run. */
  get fired(): number {
    const { totals } = this
    return totals.passed + this.next - totals.skipped + totals.memberRuns
  }

  /** The number of expirations. A callback can have detached the views. */
  private countExpired(): number {
    this.restoreViews()
    return this.words[EXPIRED]!
  }

  /** The milliseconds left to the slice. @param deadline the tick at which the next timer is due */
  private timeLeft(elapsed: number, started: number, deadline: number): number {
    if (elapsed < this.slice.budget) return this.slice.budget - elapsed
    return this.slice.overtimeLeft(elapsed, this.ticksSince(deadline, started + elapsed) * this.tick)
  }

  /** The number of ticks since `tick`. @param now the time on the host's clock */
  private ticksSince(tick: number, now: number): number {
    return ((Math.floor((now - this.hostOrigin()) / this.tick) | 0) - tick) | 0
  }

  private countOverrun(now: number, ran: number): void {
    const { slice } = this
    if (!slice.isOverrun(now)) return
    this.totals.overruns++
    if (this.isWatched) this.watch!.overran(slice.budget, slice.duration(now), ran)
  }

  private endSlice(now: number, ran: number): true {
    this.countOverrun(now, ran)
    this.slice.end(now, ran, this.pending)
    this.words[DISPATCHED] = MORE
    return true
  }

  /** All timers that were due at the start of the pass have run. Returns whether the wheel still lags far behind. */
  private endPass(ran: number): boolean {
    const { slice } = this
    if (ran > 0 || slice.isBehind) {
      const now = this.host.now()
      const isLate = this.words[ARMED] !== 0 && this.ticksSince(this.words[WAKE]!, now) >= 0
      if (slice.isBehind && isLate) this.endSlice(now, ran)
      else {
        this.countOverrun(now, ran)
        slice.catchUp()
      }
    }
    const lags = this.reals[NOW]! - this.advanced > MAX_LAG
    this.words[DISPATCHED] = lags ? MORE : DONE
    return lags
  }

  /** Makes the deadlines of all former operations final, and expires what is due now. */
  private expireDue(): void {
    this.closeExact()
    this.passExpirations()
    this.advanced = this.backend.expire(this.advanced)
    this.targetTick = this.advanced | 0
    this.totals.passed += EXPIRATIONS_CAPACITY
    this.next = 0
    this.beginShared()
    applyRefreshes(this)
  }

  /** Makes the core expire the rest of everything up to `targetTick`. */
  private expireRest(): void {
    this.commitDeferred()
    this.passExpirations()
    this.backend.core.advance(this.advanced)
    this.totals.passed += EXPIRATIONS_CAPACITY
    this.next = 0
    this.wake = this.words[WAKE]!
    applyRefreshes(this)
  }

  /** All expirations have passed. There are no others until the core has returned. */
  private passExpirations(): void {
    this.totals.passed += this.next - EXPIRATIONS_CAPACITY
    this.next = EXPIRATIONS_CAPACITY
    // True until `applyRefreshes` has looked at the targets.
    this.hasArguments = true
  }

  /** Requests a call of `dispatch` at the end of the tick, which was expired early. */
  private waitForTickEnd(): false {
    const { words } = this
    this.waitsForTick = false
    words[WAKE] = this.targetTick
    words[ARMED] = 1
    words[DISPATCHED] = DONE
    this.wake = this.targetTick
    return false
  }

  /** Whether a timer runs now. An earlier callback can have moved it, or its record can belong to another timer. */
  private isDue(unit: number): boolean {
    const handle = this.refreshedHandle(unit)
    if (handle !== undefined) {
      // An earlier callback has refreshed the handle, so the timer is due after this pass.
      applyRefresh(this, unit, handle)
      return false
    }
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER) return false
    if (((this.targetTick - deadline) | 0) < 0) {
      // An earlier callback has moved it, or `countFromEnd` has, and the record has lost its entry.
      this.submitAgain(unit)
      return false
    }
    if ((this.mode & FAR) === 0) return true
    const due = this.far.dueOf(unit)
    if (due === 0 || due <= Math.min(Math.floor(this.reals[NOW]!), this.advanced)) return true
    this.submitAgain(unit)
    return false
  }

  /** Submits a timer again with its own due time and order, because its record has lost its entry or has come to its stage. */
  private submitAgain(unit: number): void {
    this.setDue(unit, dueOf(this, unit), this.words[(unit << 2) + ORDER_NUMBER]!)
  }

  // ---- ids: see id-timers.ts ----------------------------------------------------------------------------------------

  /** Schedules a timer that runs `callback(argument)` and returns its id. O(1). */
  scheduleId(callback: Callback, argument: unknown, ms: number): number {
    if (argument !== undefined) {
      const block = (this.free || this.prepareFresh()) >>> BLOCK_SHIFT
      this.targetArguments[block] ??= new Array(RECORDS_PER_BLOCK)
    }
    const unit = this.schedule(0, callback, ms)

    const { words } = this
    if (argument !== undefined) this.targetArguments[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = argument
    const generation = words[(unit << 2) | GENERATION]! + 1
    words[(unit << 2) | GENERATION] = generation
    return generation * PER_GENERATION + unit
  }

  /** Ends a timer with an id. No later timer of the wheel has the same id. O(1). */
  cancelId(unit: number, referenced = true): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    this.cancel(unit, referenced)

    words[(unit << 2) + GENERATION] = generation
    const block = this.targetArguments[unit >>> BLOCK_SHIFT]
    if (block !== undefined) block[unit & RECORD_MASK] = undefined
    // The ids of this record are used up, so the record is not used again.
    if (generation === GENERATIONS) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  // ---- intervals ----

  /** Ends the wait of an interval that is about to run. Its record is kept for its next run, because the wheel can be full. */
  endDueInterval(unit: number, referenced: boolean, interval: ProgramHandle): void {
    this.endDue(unit, referenced)
    this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    this.runningInterval = interval
    this.keptUnit = unit
  }

  /** Schedules the next run of an interval: see at-time.ts. */
  scheduleNextRun(interval: ProgramHandle, due: number, referenced: boolean): number {
    const kept = this.runningInterval === interval ? this.keptUnit : 0
    const unit = scheduleAt(this, interval, interval._ms, due, referenced, kept)
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
}
