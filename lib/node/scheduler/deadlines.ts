/**
 * Deadlines: schedules a timer, moves it and cancels it. No operation calls the compiled core; native/core/layout.h
 * describes the memory that both sides share, and records.ts the steps of each operation.
 */
import { putOff, stepOf } from '../../common/put-off.js'
import { firstTick } from '../../common/rounding.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEADLINE, EPOCH_LENGTH, FARTHEST, FILED, FIRST_STATE, FRACTION, HELD, INEXACT, KEEPS_LOOP_ALIVE,
  LEAST_SLACK, NEVER, NONE, NOW, ORDER_NUMBER, QUEUED, RECORD_MASK, REFERENCED, SPARE,
  SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, UNREFERENCED, USED, WAKE,
} from '../../memory/layout.js'
import { roundIfClose } from './exact-ticks.js'
import { FarDeadlines, USUAL } from './far-deadlines.js'
import type { Handle, TimerTarget } from './timer-target.js'

/** The largest rounding error, in ticks, for which a deadline is corrected: at times after 2^47 ticks errors are larger. */
const LARGEST_ERROR = 2 ** -4
/** The end of `TOUCHED`. */
export const TOUCHED_END = TOUCHED + EPOCH_LENGTH

export abstract class Deadlines extends FarDeadlines {
  /** The note of an operation for the core, set by `prepareUnusual`. */
  private unusualNote = 0

  /**
   * Schedules a timer, or moves a pending one: it is due `ms` milliseconds from now, and runs last of its tick. O(1).
   *
   * It is one function of more than 460 bytes of bytecode on purpose, because V8 never inlines such a function. V8 inlines at
   * most 920 bytes into one caller, and the constructor of a handle needs all of them. To call this function costs about 3 ns;
   * several calls of shorter functions would cost about 20 ns (estimates; see docs/contributing/dead-ends.md).
   *
   * @param unit the record of a pending timer; 0: a new timer
   * @param target the callback or handle of a new timer
   * @param ms the delay, from 0 to 2^53 - 1
   * @returns the record's unit. The caller stores it before it makes any call
   */
  schedule(unit: number, target: TimerTarget | undefined, ms: number): number {
    const isNew = unit === 0
    if (isNew) {
      unit = this.free
      if (unit === 0) unit = this.prepareFresh()
    }
    if (this.order >= this.epochEnd) this.openEpoch()
    const { words } = this
    if (words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) this.makeRoom()
    if (isNew && words[HELD]! < KEEPS_LOOP_ALIVE) this.backend.hold(KEEPS_LOOP_ALIVE)
    if (ms > this.longestDelay) this.longestDelay = ms
    let deadline: number
    let note = unit
    if (this.mode === USUAL && (ms | 0) === ms && ms > 0 && ms <= FARTHEST) {
      deadline = (this.nowCeil + ms) | 0
    } else {
      deadline = this.prepareUnusual(unit, ms)
      note = this.unusualNote
    }

    // Commit: no calls from here on.
    const record = unit << 2
    const { order } = this
    if (isNew) {
      if (unit === this.free) this.free = words[record | ORDER_NUMBER]!
      else words[USED] = ++this.used
      this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = target
      words[REFERENCED] = words[REFERENCED]! + 1
      // At most as large as `order`.
      this.scheduled = (this.scheduled + 1) | 0
    }
    this.order = order + 1
    words[(order - this.epochEnd + TOUCHED_END) | 0] = note
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record | DEADLINE] = deadline
    words[record | ORDER_NUMBER] = order
    const filed = words[record | FILED]!
    if (
      filed !== QUEUED &&
      (filed === NONE || ((deadline - filed) | 0) <= 0 || ((deadline - this.wake) | 0) < 0)
    ) {
      words[record | FILED] = QUEUED
      const submitted = words[SUBMITTED]!
      words[SUBMISSIONS + submitted] = unit
      words[SUBMITTED] = submitted + 1
    }
    return unit
  }

  /**
   * Prepares a far deadline, or one whose delay is not a whole number of ticks, and returns it. Last, commits a far due time.
   */
  private prepareUnusual(unit: number, ms: number): number {
    const { words, reals } = this
    const delay = this.ticksOf(ms)
    if (delay > FARTHEST) {
      // The due time is final, so it needs its own reading of the clock.
      const now = this.isExact ? reals[NOW]! : this.now()
      const stage = Math.floor(now + FARTHEST) | 0
      const due = this.dueWith(this.step, roundIfClose(now + delay, this.error))
      this.prepareFar(unit)
      this.unusualNote = 0
      this.commitFar(unit, due)
      return stage
    }
    const ticks = Math.max(Math.floor(delay), 1)
    let fraction = delay - ticks
    // Lower, so that a rounding error of the sum with `NOW` does not add a tick.
    if (fraction !== 0) fraction -= Math.min((reals[NOW]! + delay) * this.error, LARGEST_ERROR)
    let first = firstTick(reals[NOW]!, fraction)
    if (fraction !== 0) words[INEXACT] = 1
    if (!this.isExact && first + ticks > this.advanced) {
      const slack = first - (reals[NOW]! + fraction)
      if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
      reals[FRACTION + EPOCH_LENGTH + this.order - this.epochEnd] = fraction
      this.unusualNote = ~unit
    } else {
      // The deadline is final. If its tick was expired before the tick's end, the timer is due in the next tick.
      if (!this.isExact) first = firstTick(this.now(), fraction)
      first = Math.max(first, this.advanced + 1 - ticks)
      this.unusualNote = 0
    }
    const deadline = putOff(first + ticks, this.step) | 0
    this.commitFar(unit, 0)
    return deadline
  }

  /** The time at which a timer is due with a step of slack. Without slack it can be within a tick. */
  private dueWith(step: number, due: number): number {
    return step === 1 ? due : putOff(Math.ceil(due), step)
  }

  /**
   * Schedules a new timer with a slack of its own, in milliseconds. Reads the clock. O(1).
   *
   * @returns the record's unit. The caller stores it before it makes any call
   */
  scheduleWithin(target: TimerTarget, ms: number, slack: number): number {
    const step = stepOf(slack, this.tick)
    const now = this.now()
    // After the present tick, as in `prepareUnusual`.
    const due = Math.max(now + this.ticksOf(ms), Math.floor(now) + 1)
    const unit = this.scheduleAt(target, ms, due, true, 0, step)
    this.scheduled = (this.scheduled + 1) | 0
    return unit
  }

  /**
   * Schedules a new timer for a time on the clock, in ticks. The time can have passed. O(1).
   *
   * @param delay the delay of the timer in milliseconds
   * @param kept the record that `endDueInterval` kept; 0: any free record
   * @param step the step of its slack
   * @returns the record's unit. The caller stores it before it makes any call
   */
  scheduleAt(
    target: TimerTarget,
    delay: number,
    due: number,
    referenced: boolean,
    kept: number,
    step: number,
  ): number {
    const counter = referenced ? REFERENCED : UNREFERENCED
    let unit = kept || this.free
    if (unit === 0) unit = this.prepareFresh()
    this.prepareHold(counter)
    const nextFree = this.words[(unit << 2) | ORDER_NUMBER]!
    if (delay > this.longestDelay) this.longestDelay = delay
    this.scheduleUnitAt(unit, due, step)

    const { words } = this
    if (unit === this.free) this.free = nextFree
    else if (kept === 0) words[USED] = ++this.used
    this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = target
    words[counter] = words[counter]! + 1
    return unit
  }

  /** Counts a pending timer's delay from `start`, in milliseconds on the host's clock. It runs last of its tick. O(1). */
  setStartOf(unit: number, handle: Handle, start: number): void {
    this.scheduleUnitAt(unit, this.ticksOf(start - this.hostOrigin() + handle._ms), this.step)
  }

  /** Submits a timer again with its own deadline and order, because its record has lost its entry. */
  resubmit(unit: number): void {
    this.makeRoom()
    const { words } = this
    words[INEXACT] = 1
    const record = unit << 2
    this.setDeadline(unit, words[record + DEADLINE]!, words[record + ORDER_NUMBER]!, this.farDue(unit))
  }

  /** Sets the next stage of a far timer. The order number stays the same. */
  scheduleNextStage(unit: number, due: number): void {
    this.makeRoom()
    this.words[INEXACT] = 1
    const tick = Math.ceil(due)
    const stage = this.stageOf(unit, tick)
    this.setDeadline(unit, stage, this.words[(unit << 2) + ORDER_NUMBER]!, stage === tick ? 0 : due)
  }

  /** Sets the deadline of a record for a time on the clock, in ticks. The end of the epoch does not adjust it. */
  private scheduleUnitAt(unit: number, time: number, step: number): void {
    if (this.order >= this.epochEnd) this.openEpoch()
    this.makeRoom()
    const now = this.isExact ? this.reals[NOW]! : this.now()
    time = roundIfClose(time, this.error)
    // Even if the time has passed, the timer does not run in the present pass.
    const due = this.dueWith(step, Math.max(time, this.advanced + 1))
    const tick = Math.ceil(due)
    const stage = this.stageOf(unit, tick)
    // Exact, as a delay that starts now, if the due time is no later in its tick than `now` is in the present tick.
    const part = time - Math.floor(time)
    if (!(part > 0 && part <= now - Math.floor(now))) this.words[INEXACT] = 1
    this.setDeadline(unit, stage, this.order, stage === tick ? 0 : due)
    this.order++
  }

  /**
   * Commits a record's deadline and order number, and the due time of a far timer (0: it is not far). Submits the record,
   * unless an entry and a wake-up of the core are early enough. An entry at the same tick does not count: it was for another
   * time within that tick. The caller has made room: {@link makeRoom}.
   */
  setDeadline(unit: number, tick: number, order: number, farDue: number): void {
    this.commitFar(unit, farDue)
    const { words } = this
    const record = unit << 2
    let deadline = tick | 0
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record + DEADLINE] = deadline
    words[record + ORDER_NUMBER] = order
    const filed = words[record + FILED]!
    if (filed === QUEUED) return
    if (filed === NONE || ((deadline - filed) | 0) <= 0 || ((deadline - words[WAKE]!) | 0) < 0) {
      words[record + FILED] = QUEUED
      const submitted = words[SUBMITTED]!
      words[SUBMISSIONS + submitted] = unit
      words[SUBMITTED] = submitted + 1
    }
  }

  /** Ends a timer. Its record becomes free, and an expiry that is under way skips it. O(1). */
  cancel(unit: number, referenced: boolean): void {
    const counter = referenced ? REFERENCED : UNREFERENCED
    // The comparison is also false if the views are detached.
    if (!(this.words[counter]! > 1)) this.prepareLast(counter)
    if (this.mode !== USUAL) this.commitFar(unit, 0)

    const { words } = this
    this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = undefined
    const record = unit << 2
    words[record + DEADLINE] = NEVER
    words[record + ORDER_NUMBER] = this.free
    this.free = unit
    words[counter] = words[counter]! - 1
  }

  /** Called when a timer without a reference was cleared. Tells the driver if nothing is pending and memory can be freed. */
  cancelledUnreferenced(): void {
    if (this.words[SPARE] !== 0 && this.records === 0) this.backend.idle()
  }

  /** The due time of a pending timer, in ticks that do not wrap. @param now the result of `settledNow` */
  dueOf(unit: number, now: number): number {
    const handle = this.refreshedHandle(unit)
    if (handle !== undefined) return this.refreshedDue(handle)
    const tick = this.words[(unit << 2) + DEADLINE]!
    return this.farDue(unit) || Math.floor(now) + ((tick - (Math.floor(now) | 0)) | 0)
  }
}
