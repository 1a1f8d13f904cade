/**
 * The timers of one wheel: their records in the shared memory, the clock, and the operations that set, move, refresh and end a timer.
 * scheduler.ts extends this class and runs the timers. All that is hot is in these two files, in one object, because a field of
 * another object costs a load on paths that take a few nanoseconds. The usual operations do not call the compiled core; native/core/layout.h describes
 * the memory that both sides share.
 *
 * **Interruptions.** A stack overflow, a `vm` timeout or the end of a worker can interrupt any call, also of built-in
 * functions such as `Math.ceil`, and any turn of a loop, but not the straight code between them. So each operation has three parts:
 *
 *   prepare   calls the functions that can fail: reads the clock, makes room. Changes nothing that other operations use.
 *   commit    writes all that belongs together, without a call. Only its first statement may call a function, if that one calls no other
 *             but in its own first statement.
 *   settle    calls functions whose work the next turn would do as well.
 *
 * The compiled core repairs its own state after an interruption: see native/core/timer_wheel.h.
 *
 * **The clock.** The delay of a timer counts from the call that sets it. So each of the first operations of a turn reads the clock,
 * and its deadline is final. If the program works between operations, later ones read the clock too. For masses of operations that
 * costs too much: 64 of them, an epoch, share one reading. The core makes up for the passed time when it closes the epoch: it moves
 * their deadlines. Some it cannot move: those of timers that are far, or whose tick was expired before its end. These are
 * final, and `finalNow` reads the clock for each. Each operation has an order number. A refreshed handle stores only this number; a log has the time of the refresh (refresh-log.ts).
 */
import { EXACT, LAST_ORDER, LONG } from '../../common/epochs.js'
import { FOREVER } from '../../common/forever.js'
import { ROUNDING_ERROR, unitsPerMs, unitsPerTick } from '../../common/ticks.js'
import type { Views } from '../../memory/core.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEADLINE, DEFERRED, EPOCH_END, EPOCH_LENGTH, EXPIRED, FARTHEST, FILED, FIRST_STATE, HELD,
  KEEPS_LOOP_ALIVE, LEAST_SLACK, NEVER, NONE, NOW, NOW_CEIL, ORDER, ORDER_NUMBER, QUEUED, RECORD_MASK, RECORDS_PER_BLOCK,
  REFERENCED, RETAINED, SINCE, SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED, TOUCHED, UNREFERENCED, 
  USED,WAKE,
} from '../../memory/layout.js'
import type { Backend } from '../drivers/backend.js'
import type { Host } from '../host/node-host.js'
import { roundIfClose } from './exact-ticks.js'
import { FarDeadlines } from './far-deadlines.js'
import { SCALED, USUAL } from './modes.js'
import { prepareFresh } from './records.js'
import { RefreshLog } from './refresh-log.js'
import { logRefresh, logRefreshes, logUntil } from './refreshes.js'
import { catchUp, MAX_LAG, renumber } from './renumber.js'
import type { Handle, TimerTarget } from './timer-target.js'
import { Totals } from './totals.js'
import { prepareUnusual } from './unusual-delays.js'

/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH

export class Timers implements Views {
  readonly host: Host
  readonly backend: Backend
  words: Int32Array
  reals: Float64Array
  stopped = false

  /** Whether no timer keeps the process alive. */
  readonly isUnref: boolean = false

  // ---- records
  /** The target of each record, by block. */
  readonly targets: (TimerTarget | undefined)[][] = []
  /** The argument of each target, by block; a block is undefined while none of its targets has an argument. */
  readonly targetArguments: (unknown[] | undefined)[] = []
  /** The most recently freed record, or 0; each free record names the next. */
  free = 0
  /** The number of records that were ever taken, and the number that exist. */
  used = 0
  capacity = RECORDS_PER_BLOCK
  readonly far = new FarDeadlines(this)
  /** The members of all groups: see ../group/members.ts. The number of records that groups have. */
  pool: { readonly bytes: number } | undefined
  groups = 0

  // ---- counts: see totals.ts
  readonly totals = new Totals()
  /** The number of new timers since order numbers last started from 0. */
  scheduled = 0
  /** The number of members that were added to groups, and of those that were removed. */
  added = 0
  removed = 0

  // ---- the clock
  /** The length of a tick in milliseconds. */
  readonly tick: number
  /** The part by which ticks can be wrong; 0 for ticks of 1 ms. */
  readonly error: number
  /** The reasons why `schedule` cannot take its shortest path: `USUAL`, or flags. */
  mode: number
  /** The next order number. */
  order = 0
  /** See `Client.epochEnd` in ../drivers/backend.ts. */
  epochEnd = 0
  /** The values of `NOW_CEIL` and `WAKE` while the epoch is open. Other code that changes `WAKE` closes the epoch. */
  nowCeil = 0
  wake = 0
  /** The open epoch has only the present operation, whose deadline is final. */
  isExact = false
  /** The longest delay that `rescheduleDeferred` takes in the open epoch; 0: none. Far timers exclude it. */
  longestDeferrable = 0
  private exactLeft = 0
  /** The time of the first exact operation, or of the first that shared the last reading, in ticks. */
  private rowStart = 0
  /** The time on the host's clock at which this wheel's clock was 0, in whole milliseconds; NaN until it is needed. */
  private origin = Number.NaN

  // ---- refreshes: see refreshes.ts
  /** The log counts in these units: see common/ticks.ts. */
  readonly unitsPerMs: number
  readonly unitsPerTick: number
  log = new RefreshLog()
  /** The longest delay of any timer so far, in milliseconds. The log keeps refreshes up to this age. */
  longestDelay = 0
  /** The order number from which refreshes are not in the log yet, and the number of the last refresh. */
  unlogged = 0
  lastRefresh = -1

  // ---- expiry: see scheduler.ts
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  advanced = 0
  /** The index of the next expiration to run. It moves on when that record is freed. */
  next = 0

  constructor(open: (timers: Timers) => Backend, host: Host, tick: number) {
    this.host = host
    this.tick = tick
    this.error = tick === 1 ? 0 : ROUNDING_ERROR
    this.mode = tick === 1 ? USUAL : SCALED
    this.unitsPerMs = unitsPerMs(tick)
    this.unitsPerTick = unitsPerTick(tick)
    this.backend = open(this)
    this.words = this.backend.core.words
    this.reals = this.backend.core.reals
  }

  // ---- records ------------------------------------------------------------------------------------------------------

  /** Checks that the wheel takes one more timer. @throws RangeError if `maxPending` timers are pending */
  checkRoom(): void {}

  /** The number of pending timers that keep the event loop alive. */
  get referenced(): number {
    this.restoreViews()
    return this.words[REFERENCED]!
  }

  get pending(): number {
    this.restoreViews()
    return this.stopped ? 0 : this.records - this.groups + this.added - this.removed
  }

  /** The number of records in use. */
  get records(): number {
    return this.words[REFERENCED]! + this.words[UNREFERENCED]!
  }

  /** Whether expired timers are running. Then deadlines are read between any two operations. */
  get isRunning(): boolean {
    return this.next < this.words[EXPIRED]!
  }

  /** Gives a pending timer a reference: it keeps the event loop alive. */
  reference(): void {
    this.prepareHold(REFERENCED)
    const { words } = this
    words[UNREFERENCED] = words[UNREFERENCED]! - 1
    words[REFERENCED] = words[REFERENCED]! + 1
  }

  /** Takes the reference from a pending timer. */
  unreference(): void {
    if (!(this.words[REFERENCED]! > 1)) this.prepareLast(REFERENCED)
    const { words } = this
    words[REFERENCED] = words[REFERENCED]! - 1
    words[UNREFERENCED] = words[UNREFERENCED]! + 1
  }

  /** The target of a pending timer. */
  targetOf(unit: number): TimerTarget | undefined {
    return this.targets[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  argumentOf(unit: number): unknown {
    return this.targetArguments[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** The handle of a record, if the handle was refreshed after the record was written. */
  refreshedHandle(unit: number): Handle | undefined {
    const target = this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]
    if (target === undefined || typeof target === 'function') return undefined
    return target._order < 0 ? undefined : target
  }

  /** Prepares for a new timer of `counter`. */
  prepareHold(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    const held = counter === REFERENCED ? KEEPS_LOOP_ALIVE : RETAINED
    if (this.words[HELD]! >= held) return
    this.restoreViews()
    if (this.words[HELD]! < held) this.backend.hold(held)
  }

  /**
   * Prepares for the end of a timer of `counter`, which can be the last one: without references the driver lets the event loop end. After a slice it looks by itself, and most callbacks of a last timer set the next one.
   */
  prepareLast(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    this.restoreViews()
    if (counter === REFERENCED && this.words[REFERENCED] === 1 && !this.isRunning) this.backend.idle()
  }

  /**
   * Restores the views after a growth that detached them and was then interrupted. A read through a detached view returns
   * undefined, and a write is lost. So before an operation commits, it calls this function or has read a number through the
   * view. Returns whether the views were detached.
   */
  restoreViews(): boolean {
    if (this.words.length !== 0) return false
    // Read first, so that an interruption replaces both or none.
    const { words, reals } = this.backend.core
    this.words = words
    this.reals = reals
    return true
  }

  /** Makes room for a submission. */
  makeRoom(): void {
    if (this.words[SUBMITTED]! < SUBMISSIONS_CAPACITY) return
    if (!this.restoreViews() || this.words[SUBMITTED]! >= SUBMISSIONS_CAPACITY)
      this.backend.core.takeSubmissions()
    this.wake = this.words[WAKE]!
  }

  // ---- the clock ----------------------------------------------------------------------------------------------------

  /** Converts milliseconds to ticks. */
  ticksOf(ms: number): number {
    return roundIfClose(ms / this.tick, this.error)
  }

  /** Reads the clock, in ticks. */
  now(): number {
    return this.backend.now()
  }

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

  hostOrigin(): number {
    if (Number.isNaN(this.origin)) this.origin = Math.round(this.host.now() - this.now() * this.tick)
    return this.origin
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
    logRefreshes(this)
    // Files the submissions of an earlier tick first. Only if all submissions of a batch come from one tick is it known when within their last
    // tick they are due.
    if (this.words[SUBMITTED] !== 0 && now >= Math.floor(this.reals[SINCE]!) + 1)
      this.backend.closeEpoch(this, now)
    // Commit: no calls from here on.
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
    // The next operation opens another epoch, even if this operation is interrupted.
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
    logRefreshes(this)
    this.isExact = false
    this.unlogged = this.order
    this.rowStart = this.reals[NOW]!
    this.nowCeil = words[NOW_CEIL]!
    this.wake = words[WAKE]!
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
      if (unit === 0) unit = prepareFresh(this)
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

  /** The note of an operation for the core, set by `prepareUnusual`. */
  unusualNote = 0

  /**
   * Commits a record's deadline and order number, and the due time of a far timer (0: it is not far). Submits the record,
   * unless an entry and a wake-up of the core are early enough. An entry at the same tick does not count: it was for another
   * time within that tick. The caller has made room: {@link makeRoom}.
   */
  setDeadline(unit: number, tick: number, order: number, farDue: number): void {
    if (farDue !== 0 || this.mode !== USUAL) this.far.commit(unit, farDue)
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
