/**
 * What is done with a timer from when it is set until it ends: filed, filed again, postponed, released. No operation
 * crosses into the compiled core; see native/core/layout.h for the memory they share.
 */
import type { OpenBackend } from './backend.js'
import { DueTimes } from './due_times.js'
import { Epochs } from './epochs.js'
import { firstTick } from './first_tick.js'
import type { Host } from './host.js'
import {
  BLOCK_SHIFT,
  DEADLINE,
  EPOCH_LENGTH,
  FILED,
  FIRST_STATE,
  FRACTION,
  HELD,
  INEXACT,
  LEAST_SLACK,
  NEVER,
  NONE,
  NOW,
  ORDER_NUMBER,
  RECORD_MASK,
  REFERENCED,
  TOUCHED,
  UNREFERENCED,
} from './memory.js'
import { type Handle, NOT_POSTPONABLE, type Occupant } from './occupants.js'

/**
 * Deadlines further off, in ticks, are approached in steps. Ticks wrap at 2^32 and must lie within 2^31 of the wheel's own,
 * which stands still while nothing is due: for `MAX_LAG` while nothing is pending, then for one step, of which the last
 * timer may be set at the end.
 */
const FARTHEST = 2 ** 29
/** {@link Filing.mode}: no flag is set. */
const USUAL = 0
/** There are far deadlines. */
const FAR = 1
/** A tick is not one millisecond. */
const SCALED = 2
/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH

function forbidPostponing(occupant: Occupant | undefined): void {
  if (typeof occupant === 'object') occupant._order = NOT_POSTPONABLE
}

export abstract class Filing extends Epochs {
  /** The due times, in ticks, of timers beyond `FARTHEST`. */
  protected readonly far = new DueTimes()
  /** What keeps timers from taking the shortest path: `USUAL`, or some of the flags above. */
  private mode = USUAL

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
   * @param occupant whom the timer is for; a callback that has its record already may be left out
   * @param ms the delay, from 0 to 2^53 - 1
   * @returns the record's unit
   */
  arm(unit: number, occupant: Occupant | undefined, ms: number): number {
    const isNew = unit === 0
    if (isNew) {
      unit = this.free
      if (unit === 0) unit = this.takeFresh()
      else this.free = this.words[(unit << 2) | ORDER_NUMBER]!
      this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = occupant
    }
    if (this.order >= this.epochEnd) this.openEpoch()
    if (ms > this.longestPostponed) forbidPostponing(occupant)
    const { words } = this
    const record = unit << 2
    let deadline: number
    let note = unit
    if (this.mode === USUAL && (ms | 0) === ms && ms > 0 && ms <= FARTHEST) {
      deadline = (this.nowCeil + ms) | 0
    } else {
      let delay = ms / this.tick
      if (this.far.size !== 0 || delay > FARTHEST) delay = this.enterFar(unit, delay)
      const ticks = Math.max(Math.floor(delay), 1)
      const fraction = delay - ticks
      const now = this.reals[NOW]!
      let first = firstTick(now, fraction)
      if (fraction !== 0) words[INEXACT] = 1
      if (first + ticks > this.advanced) {
        const { reals } = this
        const slack = first - (now + fraction)
        if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
        reals[FRACTION + EPOCH_LENGTH + this.order - this.epochEnd] = fraction
        note = ~unit
      } else {
        // That tick has been expired before its end. So that the core need not know of it when it adjusts deadlines, this
        // one is final: the clock is read for it alone.
        first = Math.max(firstTick(this.readClock(), fraction), this.advanced + 1 - ticks)
        note = 0
      }
      deadline = (first + ticks) | 0
    }
    const { order } = this
    this.order = order + 1
    words[(order - this.epochEnd + TOUCHED_END) | 0] = note
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record | DEADLINE] = deadline
    words[record | ORDER_NUMBER] = order
    const filed = words[record | FILED]!
    if (filed === NONE || ((deadline - filed) | 0) <= 0 || ((deadline - this.wake) | 0) < 0) this.submit(unit)
    if (isNew) {
      words[REFERENCED] = words[REFERENCED]! + 1
      if (words[HELD]! < 2) this.backend.hold()
    }
    return unit
  }

  /**
   * Starts a timer that is due at `due` on the clock, in ticks, whatever time has passed since that was read.
   *
   * @param kept the record for it, of `keepReleased`; 0: any
   */
  startAt(handle: Handle, due: number, referenced: boolean, kept: number): number {
    const unit = this.take(handle, kept)
    const now = this.readClock()
    // It may be due already, but not in the pass that is under way.
    this.fileAt(unit, Math.max(Math.ceil(due), this.advanced + 1), due, now)
    this.count(referenced ? REFERENCED : UNREFERENCED)
    return unit
  }

  /** Lets the delay of a pending timer with a handle count from a time on the host's clock. It goes to the back. O(1). */
  startFrom(unit: number, handle: Handle, start: number): void {
    const now = this.readClock()
    const due = (start - this.hostOrigin() + handle._ms) / this.tick
    // It may be due already, but not in the pass that is under way.
    this.fileAt(unit, Math.max(Math.ceil(due), this.advanced + 1), due, now)
  }

  /** When the delay of a pending timer with a handle began, in whole milliseconds on the host's clock. */
  startOf(unit: number, handle: Handle): number {
    // So that nothing is adjusted any more: asked again, it says the same.
    const now = this.readClock()
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
    this.lastPostponed = order
    handle._order = order
  }

  /** {@link postpone}, as the first operation of an epoch. */
  private postponeFirst(handle: Handle): void {
    this.openEpoch()
    this.lastPostponed = this.order
    handle._order = this.order++
  }

  /** Brings the record of a pending timer up to date with its handle, whose `_ms` may then change. O(log n). */
  settle(unit: number, handle: Handle): void {
    if (handle._order >= 0) this.fileFor(unit, this.takePostponed(unit, handle))
  }

  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  release(unit: number, referenced: boolean): void {
    const { words } = this
    this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = undefined
    if (this.mode !== USUAL) this.forgetFar(unit)
    const record = unit << 2
    words[record + DEADLINE] = NEVER
    words[record + ORDER_NUMBER] = this.free
    this.free = unit
    const counter = referenced ? REFERENCED : UNREFERENCED
    const left = words[counter]! - 1
    words[counter] = left
    if (left === 0) this.backend.idle()
  }

  /** Files a started timer for a tick of the scale that does not wrap, whatever time passes until the epoch closes. */
  private fileAt(unit: number, tick: number, due: number, now: number): void {
    this.forgetFar(unit)
    this.touch(unit, 0)
    if (tick - now > FARTHEST) this.setFar(unit, due)
    const deadline = Math.min(tick, Math.floor(now + FARTHEST)) | 0
    // As what is set now is: due no later in its last tick than the present is in its own.
    const part = due - Math.floor(due)
    if (part > 0 && part <= now - Math.floor(now)) this.fileExactly(unit, deadline)
    else this.fileFor(unit, deadline)
  }

  /** Gives a record the next order number. `note`: how to adjust it when the epoch closes, see native/core/layout.h. */
  private touch(unit: number, note: number): void {
    const { words, order } = this
    this.order = order + 1
    words[order - this.epochEnd + TOUCHED_END] = note
    words[(unit << 2) + ORDER_NUMBER] = order
  }

  // ---- far deadlines ----------------------------------------------------------------------------------------------

  /** When a pending timer is due, in ticks on the scale that does not wrap. The epoch has just been opened, at `now`. */
  protected dueOf(unit: number, now: number): number {
    const handle = this.postponedHandle(unit)
    const tick = handle === undefined ? this.words[(unit << 2) + DEADLINE]! : this.postponedDeadline(handle)
    return this.far.get(unit) ?? Math.floor(now) + ((tick - (Math.floor(now) | 0)) | 0)
  }

  /** Notes the due time of a timer whose delay is far, and forgets any former one. Returns the delay to file it with. */
  private enterFar(unit: number, delay: number): number {
    this.forgetFar(unit)
    if (delay <= FARTHEST) return delay
    // The due time is kept apart and not adjusted later: the clock is read for it alone.
    this.setFar(unit, this.readClock() + delay)
    return FARTHEST
  }

  private setFar(unit: number, due: number): void {
    this.far.set(unit, due)
    this.mode |= FAR
  }

  private forgetFar(unit: number): void {
    this.far.delete(unit)
    if (this.far.size === 0) this.mode &= ~FAR
  }

  /** A stage on the way to a far deadline: files the timer for the next, its order number unchanged. */
  protected approach(unit: number, due: number): void {
    const left = due - this.reals[NOW]!
    if (left <= FARTHEST) this.forgetFar(unit)
    this.fileFor(unit, Math.ceil(left <= FARTHEST ? due : this.reals[NOW]! + FARTHEST) | 0)
  }
}
