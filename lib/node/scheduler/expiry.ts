/**
 * Expiry: runs due timers in slices.
 *
 * The core appends due records to the expirations, in order. A slice goes through them and runs one timer after the other
 * until its budget is used up (slice-budget.ts); the driver calls again for the rest in the next turn of the event loop.
 * A callback can do anything: cancel or move timers, trim or stop the wheel, throw. So each record is checked just before it runs.
 */
// biome-ignore format: a list of words
import {
  ARMED, DEADLINE, DISPATCHED, DONE, EXPIRATIONS, EXPIRATIONS_CAPACITY, EXPIRED, MORE, NEVER, NOW,
  ORDER_NUMBER, TICK, UNFINISHED, WAKE,
} from '../../memory/layout.js'
import type { OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/host.js'
import { MAX_LAG } from './epoch-clock.js'
import { Runs } from './runs.js'
import { LATE, SliceBudget } from './slice-budget.js'
import { type Handle, NOT_REFRESHED } from './timer-target.js'

/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export abstract class Expiry extends Runs {
  readonly slice: SliceBudget
  /** The tick up to which the expirations are due: `advanced`, wrapped. */
  targetTick = 0
  /** If the timers of tick `TICK` did not fit into the expirations: the order number of the last that did. Otherwise -1. */
  lastOrder = -1
  /** The expirations must not run before their tick has ended. */
  waitsForTick = false

  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    super(open, host, tick)
    this.slice = new SliceBudget(budget)
  }

  /**
   * Runs due timers for one slice. The caller calls again for the rest.
   *
   * Next ticks and microtasks of a callback run before the next callback. The host runs those of the last callback, without
   * a frame of this package on the stack: V8 keeps ten frames, and async stack traces need them for the program. So only
   * this function calls `drain`, and no error passes through a `catch`, which would replace the line that threw.
   *
   * @returns whether due timers are left
   * @throws the error of a callback
   */
  dispatch(): boolean {
    if (this.stopped) return false
    this.restoreViews()
    const words = this.words
    const { host } = this
    const { drain } = host
    const started = host.now()
    this.slice.begin(started, this.pending)
    this.beginRuns()
    this.isUndrained = false
    this.totals.slices++
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) {
      if (words[UNFINISHED] === 0) this.totals.wakeUps++
      this.expireDue()
    }
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
          if (this.reportsErrors) {
            try {
              drain?.()
            } catch (error) {
              if (!host.report(error)) throw error
            }
          } else {
            drain?.()
          }
          if (this.stopped) return false
          // A queued function has trimmed the wheel.
          if (this.next >= this.countExpired()) break
        }
        if (!this.isDue(unit)) {
          this.next++
          this.totals.skipped++
          continue
        }
        ran++
        if (this.isUsual) {
          this.isUndrained = true
          this.run(unit)
        } else {
          this.runUnusual(unit)
        }
        if (this.stopped) return false
      }
      if (this.words[UNFINISHED] === 0) return this.endPass(ran)
      const elapsed = host.now() - started
      if (this.timeLeft(elapsed, started, this.words[TICK]!) <= 0)
        return this.endSlice(started + elapsed, ran)
      this.expireRest()
    }
  }

  isRunning(): boolean {
    return this.next < this.words[EXPIRED]!
  }

  /** The number of expirations. A callback can have detached the views. */
  private countExpired(): number {
    this.restoreViews()
    return this.words[EXPIRED]!
  }

  /** The milliseconds left to the slice. @param deadline the tick at which the next timer is due */
  private timeLeft(elapsed: number, started: number, deadline: number): number {
    const { budget, limit } = this.slice
    if (elapsed < budget || elapsed >= limit) return budget - elapsed
    return this.ticksSince(deadline, started + elapsed) * this.tick > LATE ? limit - elapsed : 0
  }

  /** The number of ticks since `tick`. @param now the time on the host's clock */
  private ticksSince(tick: number, now: number): number {
    return ((Math.floor((now - this.hostOrigin()) / this.tick) | 0) - tick) | 0
  }

  private noteOverrun(now: number, ran: number): void {
    const { slice } = this
    if (!slice.isOverrun(now)) return
    this.totals.overruns++
    if (this.isWatched) this.watch!.overran(slice.budget, slice.duration(now), ran)
  }

  private endSlice(now: number, ran: number): true {
    this.noteOverrun(now, ran)
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
        this.noteOverrun(now, ran)
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
    this.longestDeferrable = 0
    this.passExpirations()
    this.advanced = this.backend.expire(this.advanced)
    // Commit: no calls from here on.
    this.targetTick = this.advanced | 0
    this.totals.passed += EXPIRATIONS_CAPACITY
    this.next = 0
    this.noteShared()
    this.applyRefreshes()
  }

  /** Makes the core expire the rest of everything up to `targetTick`. */
  private expireRest(): void {
    this.commitDeferred()
    this.passExpirations()
    this.backend.advance(this.targetTick)
    // Commit, as above.
    this.totals.passed += EXPIRATIONS_CAPACITY
    this.next = 0
    this.wake = this.words[WAKE]!
    this.applyRefreshes()
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

  /** Gives the expired records of refreshed handles their true deadlines: see lazy-refresh.ts. */
  private applyRefreshes(): void {
    const { words } = this
    const count = words[EXPIRED]!
    this.lastOrder = -1
    if (count === 0) return
    const before = this.order
    this.logAll()
    // If the call renumbered the timers, refreshed ones are scheduled already, or are here with their true deadlines.
    let isPast = this.order < before
    // If the timers of a tick did not fit, the expirations end with the first of them.
    const tick = words[TICK]!
    const last = words[EXPIRATIONS + count - 1]! << 2
    if (words[last + DEADLINE] === tick) this.lastOrder = words[last + ORDER_NUMBER]!
    let hasArguments = false
    const isBeforeTarget = this.advanced > this.reals[NOW]!
    for (let i = 0; i < count; i++) {
      const unit = words[EXPIRATIONS + i]!
      const handle = this.refreshedHandle(unit)
      if (handle === undefined) {
        // Among a million timers each access is a cache miss. In this loop many misses overlap; between callbacks none do.
        if (this.argumentOf(unit) !== undefined) hasArguments = true
        continue
      }
      const due = this.refreshedDue(handle)
      // The timer was set and refreshed within one tick. The core has expired it by the first of the two times.
      if (isBeforeTarget && (due | 0) === this.targetTick) this.waitsForTick = true
      const ahead = due - this.advanced > 1 ? 1 : (due - tick) | 0
      if (ahead > 0 || (ahead === 0 && handle._order > this.lastOrder)) {
        this.scheduleRefreshed(unit, handle, due)
        words[EXPIRATIONS + i] = 0
      } else {
        // The core has already passed the deadline, so the timer is late and runs now.
        this.expireRefreshed(unit, handle, due)
        isPast = true
      }
    }
    this.hasArguments = hasArguments
    if (isPast) this.sortExpirations()
  }

  /** Sorts the expirations by deadline and order number again. */
  private sortExpirations(): void {
    const { words } = this
    const units = words.subarray(EXPIRATIONS, EXPIRATIONS + words[EXPIRED]!)
    const sorted = Array.from(units)
      .filter((unit) => unit !== 0)
      .sort((a, b) => {
        const later = (words[(a << 2) + DEADLINE]! - words[(b << 2) + DEADLINE]!) | 0
        return later || words[(a << 2) + ORDER_NUMBER]! - words[(b << 2) + ORDER_NUMBER]!
      })
    units.set(sorted)
    units.fill(0, sorted.length)
  }

  /** Writes the true deadline of a refreshed timer that stays in the expirations. */
  private expireRefreshed(unit: number, handle: Handle, due: number): void {
    const { words } = this
    words[(unit << 2) + DEADLINE] = due | 0
    words[(unit << 2) + ORDER_NUMBER] = handle._order
    handle._order = NOT_REFRESHED
  }

  /** Whether the record of an expiration still has a timer. Changes nothing. */
  private isPending(unit: number): boolean {
    return unit !== 0 && this.words[(unit << 2) + DEADLINE] !== NEVER
  }

  /** Whether a timer runs now. An earlier callback can have moved it, or its record can belong to another timer. */
  private isDue(unit: number): boolean {
    const handle = this.refreshedHandle(unit)
    if (handle !== undefined) {
      // An earlier callback has refreshed the handle, so the timer is due after this pass.
      this.applyRefresh(unit, handle)
      return false
    }
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER) return false
    if (((this.targetTick - deadline) | 0) < 0) {
      // An earlier callback has moved it. Or the process was stopped for weeks, and the timer was set before the wheel moved
      // again: its deadline was too far from the wheel's tick, and the record has lost its entry.
      this.resubmit(unit)
      return false
    }
    if (!this.hasFar) return true
    const due = this.farDue(unit)
    if (due === 0 || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true
    this.scheduleNextStage(unit, due)
    return false
  }
}
