/**
 * What is done with a timer from when it is set until it ends: filed, filed again, refreshed, released. No operation
 * crosses into the compiled core; see native/core/layout.h for the memory they share, and records.ts for what each
 * operation does when it is interrupted.
 */
import type { OpenBackend } from './backend.js'
import { Epochs } from './epochs.js'
import { firstTick } from './first_tick.js'
import type { Host } from './host.js'
import {
  BLOCK_SHIFT,
  DEADLINE,
  DEFERRED,
  EPOCH_LENGTH,
  FILED,
  FIRST_STATE,
  FRACTION,
  HELD,
  INEXACT,
  KEEPS_LOOP_ALIVE,
  LEAST_SLACK,
  NEVER,
  NONE,
  NOW,
  ORDER_NUMBER,
  QUEUED,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  TOUCHED,
  UNREFERENCED,
  USED,
  WAKE,
} from './memory.js'
import { type Handle, NOT_POSTPONED, type Occupant } from './occupants.js'

/**
 * Deadlines further off, in ticks, are approached in stages. Ticks wrap at 2^32 and must lie within 2^31 of the wheel's
 * own, which stands still while nothing is due: for `MAX_LAG` while nothing is pending, then for one stage, of which the
 * last timer may be set at the end.
 */
const FARTHEST = 2 ** 29
/** {@link Filing.mode}: no flag is set. */
const USUAL = 0
/** There are far deadlines. */
const FAR = 1
/** A tick is not one millisecond. */
const SCALED = 2
/** The end of `TOUCHED`. */
export const TOUCHED_END = TOUCHED + EPOCH_LENGTH

export abstract class Filing extends Epochs {
  /** The due times, in ticks, of timers beyond `FARTHEST`, by block; 0: of another timer. */
  private readonly farPages: (Float64Array | undefined)[] = []
  private farCount = 0
  /** What keeps timers from taking the shortest path: `USUAL`, or some of the flags above. */
  private mode = USUAL
  /** The longest delay that `rescheduleLater` takes in the open epoch; 0: none. */
  protected deferrable = 0
  /** How `prepareUnusual` wants its operation noted for the core. */
  private unusualNote = 0

  constructor(open: OpenBackend, host: Host, tick: number) {
    super(open, host, tick)
    if (tick !== 1) this.mode |= SCALED
  }

  /**
   * Files a timer that is due `ms` milliseconds from now, at the back of its tick's order. O(1).
   *
   * All of it stands in one function, which is on purpose longer than what V8 inlines (460 bytes of bytecode): into one
   * caller it inlines 920, and what makes a handle needs them more. Its parts, left to be called, cost 20 ns; this 3.
   *
   * @param unit the record of a started timer; 0: a new one
   * @param occupant what a new timer's record runs
   * @param ms the delay, from 0 to 2^53 - 1
   * @returns the record's unit; no call may come between that and noting it
   */
  arm(unit: number, occupant: Occupant | undefined, ms: number): number {
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

    // Commit: no call from here on.
    const record = unit << 2
    const { order } = this
    if (isNew) {
      if (unit === this.free) this.free = words[record | ORDER_NUMBER]!
      else words[USED] = ++this.used
      this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = occupant
      words[REFERENCED] = words[REFERENCED]! + 1
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

  /** Whether what has expired is being run: then deadlines are looked at between any two operations. */
  protected abstract isRunning(): boolean

  protected override openShared(): void {
    this.deferrable = 0
    super.openShared()
    if (this.mode === USUAL && !this.isRunning()) this.deferrable = Math.min(this.longestDelay, FARTHEST)
  }

  /** Has the records say all that was deferred, and go on to. */
  protected commitDeferred(): void {
    if (this.words[DEFERRED] !== 0) this.openShared()
    this.deferrable = 0
  }

  /**
   * Prepares for a deadline that is far, or of a delay that is not of whole ticks. Returns it. Its last step commits the due
   * time of a far one.
   */
  private prepareUnusual(unit: number, ms: number): number {
    const { words, reals } = this
    const delay = ms / this.tick
    if (delay > FARTHEST) {
      // The due time is kept apart and final: the clock is read for it alone.
      const now = this.isExact ? reals[NOW]! : this.now()
      this.prepareFar(unit)
      this.unusualNote = 0
      this.commitFar(unit, now + delay)
      return Math.floor(now + FARTHEST) | 0
    }
    const ticks = Math.max(Math.floor(delay), 1)
    const fraction = delay - ticks
    let first = firstTick(reals[NOW]!, fraction)
    if (fraction !== 0) words[INEXACT] = 1
    if (!this.isExact && first + ticks > this.advanced) {
      const slack = first - (reals[NOW]! + fraction)
      if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
      reals[FRACTION + EPOCH_LENGTH + this.order - this.epochEnd] = fraction
      this.unusualNote = ~unit
    } else {
      // Final. Its tick may have been expired before its end: then it is due in the next.
      if (!this.isExact) first = firstTick(this.now(), fraction)
      first = Math.max(first, this.advanced + 1 - ticks)
      this.unusualNote = 0
    }
    this.commitFar(unit, 0)
    return (first + ticks) | 0
  }

  /**
   * Starts a timer that is due at `due` on the clock, in ticks, whatever time has passed since that was read.
   *
   * @param kept the record for it, of `park`; 0: any
   * @returns the record's unit; no call may come between that and noting it
   */
  startAt(handle: Handle, due: number, referenced: boolean, kept: number): number {
    const counter = referenced ? REFERENCED : UNREFERENCED
    let unit = kept || this.free
    if (unit === 0) unit = this.prepareFresh()
    this.prepareHold(counter)
    const nextFree = this.words[(unit << 2) | ORDER_NUMBER]!
    if (handle._ms > this.longestDelay) this.longestDelay = handle._ms
    this.fileAt(unit, due)

    const { words } = this
    if (unit === this.free) this.free = nextFree
    else if (kept === 0) words[USED] = ++this.used
    this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = handle
    words[counter] = words[counter]! + 1
    return unit
  }

  /** Lets the delay of a pending timer with a handle count from a time on the host's clock. It goes to the back. O(1). */
  startFrom(unit: number, handle: Handle, start: number): void {
    this.fileAt(unit, (start - this.hostOrigin() + handle._ms) / this.tick)
  }

  /** When the delay of a pending timer with a handle began, in whole milliseconds on the host's clock. */
  startOf(unit: number, handle: Handle): number {
    // Read first, so that repeated reads agree.
    const now = this.settledNow()
    return this.hostOrigin() + Math.round(this.dueOf(unit, now) * this.tick) - handle._ms
  }

  /**
   * Counts the delay of a postponable handle's timer anew. O(1).
   *
   * Over many timers every cache line is a miss, so this writes one word of the handle and nothing else: the order
   * number. What else follows from it is found out when the record's deadline, which is never later, expires.
   */
  postpone(handle: Handle): void {
    // Apart, so that what an engine knows of the objects here holds to the end.
    if (this.order >= this.epochEnd) return this.postponeFirst(handle)
    const { order } = this
    // The sum is a small integer: LAST_ORDER.
    this.order = (order + 1) | 0
    this.lastRefresh = order
    handle._order = order
  }

  /** {@link postpone}, as the first operation of an epoch. */
  private postponeFirst(handle: Handle): void {
    this.openEpoch()
    if (this.isExact) this.logRefresh(this.order, this.reals[NOW]!)

    const { order } = this
    if (this.isExact) this.unlogged = order + 1
    this.order = order + 1
    this.lastRefresh = order
    handle._order = order
  }

  settle(unit: number, handle: Handle): void {
    if (handle._order < 0) return
    if (handle._order >= this.unlogged) this.settledNow()
    // Order numbers may just have begun anew.
    if (handle._order >= 0) this.fileRefreshed(unit, handle, this.refreshedDue(handle))
  }

  /** Files a refreshed timer for when it is due. */
  protected fileRefreshed(unit: number, handle: Handle, due: number): void {
    this.makeRoom()
    this.words[INEXACT] = 1
    const stage = this.stageOf(unit, due)
    this.file(unit, stage, handle._order, stage === due ? 0 : due)
    handle._order = NOT_POSTPONED
  }

  /** Files a timer for the deadline and in the order that its record has, as it has no entry. */
  protected fileAgain(unit: number): void {
    this.makeRoom()
    const { words } = this
    words[INEXACT] = 1
    const record = unit << 2
    this.file(unit, words[record + DEADLINE]!, words[record + ORDER_NUMBER]!, this.farDue(unit))
  }

  /** Files a started timer for a time on the clock, in ticks, whatever time passes until the epoch closes. */
  private fileAt(unit: number, due: number): void {
    if (this.order >= this.epochEnd) this.openEpoch()
    this.makeRoom()
    const now = this.isExact ? this.reals[NOW]! : this.now()
    // It may be due already, but not in the pass that is under way.
    const tick = Math.max(Math.ceil(due), this.advanced + 1)
    const stage = this.stageOf(unit, tick)
    // As what is set now: due no later in its last tick than the present is in its own.
    const part = due - Math.floor(due)
    if (!(part > 0 && part <= now - Math.floor(now))) this.words[INEXACT] = 1
    this.file(unit, stage, this.order, stage === tick ? 0 : due)
    this.order++
  }

  /**
   * Commits a record's deadline, order number and due time, which is 0 unless the deadline is a stage before it. Submits the
   * record unless it has an entry, and a wake-up, early enough. An entry at the very deadline was for another time of its
   * last tick. There is room: {@link makeRoom}.
   */
  protected file(unit: number, tick: number, order: number, farDue: number): void {
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

  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  release(unit: number, referenced: boolean): void {
    const counter = referenced ? REFERENCED : UNREFERENCED
    // Or the views are to be restored.
    if (!(this.words[counter]! > 1)) this.prepareLast(counter)
    if (this.mode !== USUAL) this.commitFar(unit, 0)

    const { words } = this
    this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = undefined
    const record = unit << 2
    words[record + DEADLINE] = NEVER
    words[record + ORDER_NUMBER] = this.free
    this.free = unit
    words[counter] = words[counter]! - 1
  }

  // ---- far deadlines ----------------------------------------------------------------------------------------------

  /** When a pending timer is due, in ticks on the scale that does not wrap: `now` is of `settledNow`. */
  protected dueOf(unit: number, now: number): number {
    const handle = this.refreshedHandle(unit)
    if (handle !== undefined) return this.refreshedDue(handle)
    const tick = this.words[(unit << 2) + DEADLINE]!
    return this.farDue(unit) || Math.floor(now) + ((tick - (Math.floor(now) | 0)) | 0)
  }

  /** The due time, in ticks, of a timer that is filed for a stage before it; 0: it is not. */
  protected farDue(unit: number): number {
    return this.farPages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK] ?? 0
  }

  protected get hasFar(): boolean {
    return (this.mode & FAR) !== 0
  }

  /** Goes on with a far deadline: files the timer for its next stage, its order number unchanged. */
  protected approach(unit: number, due: number): void {
    this.makeRoom()
    this.words[INEXACT] = 1
    const tick = Math.ceil(due)
    const stage = this.stageOf(unit, tick)
    this.file(unit, stage, this.words[(unit << 2) + ORDER_NUMBER]!, stage === tick ? 0 : due)
  }

  /** The tick to file a timer for that is due at `tick`: this one, or a stage before, whose due time there is room for. */
  private stageOf(unit: number, tick: number): number {
    const farthest = Math.floor(this.reals[NOW]! + FARTHEST)
    if (tick <= farthest) return tick
    this.prepareFar(unit)
    return farthest
  }

  /** Lets go of what there is for far deadlines, while nothing is pending. */
  protected forgetFar(): void {
    this.farPages.length = 0
    this.farCount = 0
    this.mode &= ~FAR
  }

  private prepareFar(unit: number): void {
    this.deferrable = 0
    const block = unit >>> BLOCK_SHIFT
    while (this.farPages.length <= block) this.farPages.push(undefined)
    this.farPages[block] ??= new Float64Array(RECORDS_PER_BLOCK)
  }

  /** Commits the due time of a far deadline; 0: it is not far. */
  private commitFar(unit: number, due: number): void {
    const page = this.farPages[unit >>> BLOCK_SHIFT]
    if (page === undefined) return
    const i = unit & RECORD_MASK
    this.farCount += (due === 0 ? 0 : 1) - (page[i] === 0 ? 0 : 1)
    page[i] = due
    this.mode = this.farCount === 0 ? this.mode & ~FAR : this.mode | FAR
  }
}
