/**
 * The timers of one wheel: their records in the shared memory, the clock, and the operations that set, move, refresh and end a timer.
 * It extends the class of records.ts; scheduler.ts extends this one and runs the timers. All that is hot is in these files, in one object, because a field of
 * another object costs a load on paths that take a few nanoseconds. The usual operations do not call the compiled core; native/core/layout.h describes
 * the memory that both sides share.
 *
 * **Interruptions.** A stack overflow or a `vm` time limit can end any call, but not the code between two calls. Later calls must work then,
 * although timers of the wheel can be late. So an operation first calls what can fail. Then it changes the list of free records and the counts
 * without a call. The compiled core repairs its own state: see native/core/timer_wheel.h.
 *
 * **The clock.** The delay of a timer counts from the call that sets it. So each of the first operations of a turn reads the clock,
 * and its deadline is final. If the program works between operations, later ones read the clock too. For masses of operations that
 * costs too much: 64 of them, an epoch, share one reading. The core makes up for the passed time when it closes the epoch: it moves
 * their deadlines. Some it cannot move: those of timers that are far, or whose tick was expired before its end. These are
 * final, and `finalNow` reads the clock for each. Each operation has an order number. A refreshed handle stores only this number; a log has the time of the refresh (refresh-log.ts).
 */

import { EXACT, FOREVER, LAST_ORDER, LONG } from '../../common/constants.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, CLOSED, DEADLINE, DEFERRED, EPOCH_END, EPOCH_LENGTH, FARTHEST, FILED, FIRST_STATE, HELD,
  KEEPS_LOOP_ALIVE, LEAST_SLACK, NEVER, NONE, NOW, NOW_CEIL, ORDER, ORDER_NUMBER, QUEUED, RECORD_MASK,
  REFERENCED, SINCE, SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, UNREFERENCED, USED, WAKE,
} from '../../memory/layout.js'
import { countFromEnd } from './after-stop.js'
import { LAGS, USUAL } from './far-deadlines.js'
import { Records } from './records.js'
import { logRefresh, logRefreshes, logUntil } from './refreshes.js'
import { catchUp, MAX_LAG, renumber } from './renumber.js'
import type { Handle, TimerTarget } from './timer-target.js'
import { prepareUnusual } from './unusual-delays.js'

/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH

export class Timers extends Records {
  private exactLeft = 0
  /** The order number of the first operation that shared the last reading. */
  private epochBegin = 0
  /** The time of the first exact operation, or of the first that shared the last reading, in ticks. */
  private rowStart = 0

  // ---- the clock ----------------------------------------------------------------------------------------------------

  /**
   * Reads the clock, in ticks, for an operation of the open epoch whose deadline is final. First, all deadlines of former operations become
   * final too: if the core moved them afterwards, earlier timers would come later. Makes room for a submission.
   */
  finalNow(): number {
    if (this.isExact) return this.reals[NOW]!
    // A note stands for a deadline that can move. Refreshes write none.
    const notes = TOUCHED_END - this.epochEnd
    for (let order = this.unlogged; order < this.order; order++) {
      if (this.words[notes + order] === 0) continue
      this.openSharedEpoch()
      this.makeRoom()
      return this.reals[NOW]!
    }
    const now = this.now()
    logUntil(this, now)
    // The next call needs to look only at what follows.
    this.unlogged = this.order
    return now
  }

  /** Makes the deadlines of all former operations final. Then reads the clock, in ticks. */
  settledNow(): number {
    this.openSharedEpoch()
    this.epochEnd = 0
    return this.reals[NOW]!
  }

  /** Reads the clock for the next operation, or for the next 64. */
  openEpoch(): void {
    this.restoreViews()
    if (this.order > LAST_ORDER) {
      this.openSharedEpoch()
      renumber(this)
    }
    const isClosed = this.words[EPOCH_END] === 0
    // The driver has run, so a turn begins.
    if (isClosed || this.epochEnd === 0) this.exactLeft = EXACT
    // Whether no deadline still depends on a shared reading.
    const isFree = isClosed || this.isExact || this.order === this.unlogged
    if (this.exactLeft > 0 && isFree) this.openExact()
    else {
      const start = this.rowStart
      this.openSharedEpoch()
      if (this.isLong(this.rowStart - start)) this.exactLeft = EXACT
      // The shared epoch has no operations yet.
      if (this.exactLeft > 0) this.openExact()
    }
    if (this.reals[NOW]! - this.advanced > MAX_LAG && this.pending === 0) catchUp(this)
  }

  /** Whether the program works between operations. @param row the ticks that a row of operations took */
  private isLong(row: number): boolean {
    if (row < LONG) return false
    const reading = this.backend.now() - this.rowStart
    return row > EPOCH_LENGTH * reading
  }

  private openExact(): void {
    const now = this.backend.now()
    const nowCeil = Math.ceil(now) | 0
    this.finishClosed()
    // Files the submissions of an earlier tick first. Only if all submissions of a batch come from one tick is it known when within their last
    // tick they are due.
    if (this.words[SUBMITTED] !== 0 && now >= Math.floor(this.reals[SINCE]!) + 1)
      this.backend.closeEpoch(this, now)
    const { words, reals } = this
    if (this.exactLeft-- === EXACT) this.rowStart = now
    if (words[SUBMITTED] === 0) reals[SINCE] = now
    reals[NOW] = now
    reals[LEAST_SLACK] = FOREVER
    words[EPOCH_END] = 1
    this.isExact = true
    this.unlogged = this.order
    this.nowCeil = nowCeil
    this.wake = words[WAKE]!
    if (now - this.advanced > MAX_LAG) this.mode |= LAGS
    // The next operation opens another epoch.
    this.epochEnd = this.order
  }

  /** Makes the core close the epoch, unless the driver has, and open one that 64 operations share. */
  openSharedEpoch(): void {
    this.closeExact()
    this.backend.openEpoch()
    this.beginShared()
    this.epochEnd = this.words[EPOCH_END]!
    if (this.mode === USUAL && !this.isRunning) this.longestDeferrable = Math.min(this.longestDelay, FARTHEST)
  }

  /** Prepares for a new epoch. None is open until the core has returned. */
  closeExact(): void {
    this.longestDeferrable = 0
    this.restoreViews()
    this.epochEnd = 0
    this.words[ORDER] = this.order
  }

  /** The core has opened an epoch. No operation takes part in it until its end stands in `epochEnd`. */
  beginShared(): void {
    const { words } = this
    this.finishClosed()
    this.isExact = false
    this.unlogged = this.epochBegin = this.order
    this.rowStart = this.reals[NOW]!
    this.nowCeil = words[NOW_CEIL]!
    this.wake = words[WAKE]!
    if (this.rowStart - this.advanced > MAX_LAG) this.mode |= LAGS
    else this.mode &= ~LAGS
  }

  /** Does what the closed epoch has left. */
  private finishClosed(): void {
    if (!this.isExact && this.reals[CLOSED]! - this.rowStart > FARTHEST) countFromEnd(this, this.epochBegin)
    logRefreshes(this)
  }

  /** Writes all deferred delays into their records. No operation of this epoch is deferred after that. */
  commitDeferred(): void {
    if (this.words[DEFERRED] !== 0) this.openSharedEpoch()
    this.longestDeferrable = 0
  }

  // ---- set, move, end -----------------------------------------------------------------------------------------------

  /**
   * Schedules a timer, or moves a pending one: it is due `ms` milliseconds from now, and runs last of its tick. O(1).
   *
   * It is one function of more than 460 bytes of bytecode on purpose, because V8 never inlines such a function. V8 inlines at
   * most 920 bytes into one caller, and the constructor of a handle needs all of them. To call this function costs about 3 ns;
   * several calls of shorter functions would cost about 20 ns (estimates; see docs/contributing/dead-ends.md). So it ends
   * with a copy of `setDeadline`.
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
      deadline = prepareUnusual(this, unit, ms)
      note = this.unusualNote
    }

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

  /** Ends a timer. Its record becomes free, and an expiry that is under way skips it. O(1). */
  cancel(unit: number, referenced: boolean): void {
    const counter = referenced ? REFERENCED : UNREFERENCED
    // The comparison is also false if the views are detached.
    if (!(this.words[counter]! > 1)) this.prepareLast(counter)
    if (this.mode !== USUAL) this.far.commit(unit, 0)

    const { words } = this
    this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = undefined
    const record = unit << 2
    words[record + DEADLINE] = NEVER
    words[record + ORDER_NUMBER] = this.free
    this.free = unit
    words[counter] = words[counter]! - 1
  }

  // ---- refresh: see refreshes.ts ------------------------------------------------------------------------------------

  /** Counts the delay of a pending timer from now. Its deadline must follow from its delay: not `NOT_REFRESHABLE`. O(1). */
  refresh(handle: Handle): void {
    handle._order = this.stamp()
  }

  /** Returns an order number for a refresh now; the log gets its time. O(1). */
  stamp(): number {
    // A separate function, because after a call the engine would have to check these objects again.
    if (this.order >= this.epochEnd) return this.stampFirst()
    const { order } = this
    // The sum is a small integer: see LAST_ORDER.
    this.order = (order + 1) | 0
    this.lastRefresh = order
    return order
  }

  /** Does the same as the first operation of an epoch. */
  private stampFirst(): number {
    this.openEpoch()
    if (this.isExact) logRefresh(this, this.order, this.reals[NOW]!)

    const { order } = this
    if (this.isExact) this.unlogged = order + 1
    this.order = order + 1
    this.lastRefresh = order
    return order
  }
}
