/**
 * The records of one wheel in the shared memory, with all that belongs to them: targets, counts, the clock, the log of refreshes. timers.ts
 * extends this class by the operations.
 */
import { wheelFull, wheelStopped } from '../../common/errors.js'
import { ROUNDING_ERROR, roundIfClose, unitsPerMs, unitsPerTick } from '../../common/ticks.js'
import type { Views } from '../../memory/core.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEADLINE, EXPIRED, FILED, FIRST_STATE, HELD, INEXACT, KEEPS_LOOP_ALIVE, NEVER, NONE, ORDER_NUMBER,
  QUEUED, RECORD_MASK, RECORDS_PER_BLOCK, REFERENCED, RETAINED, SUBMISSIONS, SUBMISSIONS_CAPACITY, SUBMITTED,
  UNREFERENCED, unitOfRecord, WAKE,
} from '../../memory/layout.js'
import type { Backend } from '../drivers/backend.js'
import type { Host } from '../host/node-host.js'
import { FarDeadlines, SCALED, USUAL } from './far-deadlines.js'
import { RefreshLog } from './refresh-log.js'
import { type GroupRecord, type Handle, isGroup, type TimerTarget } from './timer-target.js'
import { Totals } from './totals.js'
export abstract class Records implements Views {
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
  /** The note of an operation for the core, set by `prepareUnusual`. */
  unusualNote = 0
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
  /** The tick up to which the expirations are due: `advanced`, wrapped. */
  targetTick = 0
  /** If the timers of tick `TICK` did not fit into the expirations: the order number of the last that did. Otherwise -1. */
  lastOrder = -1
  /** The expirations must not run before their tick has ended. */
  waitsForTick = false
  /** Whether an expiration has an argument. */
  hasArguments = false

  constructor(open: (records: Records) => Backend, host: Host, tick: number) {
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

  /** Replaces detached views: a growth was ended before it did so. */
  restoreViews(): void {
    if (this.words.length !== 0) return
    const { words, reals } = this.backend.core
    this.words = words
    this.reals = reals
  }

  /** Makes room for a submission. */
  makeRoom(): void {
    if (this.words[SUBMITTED]! < SUBMISSIONS_CAPACITY) return
    this.backend.core.takeSubmissions()
    this.wake = this.words[WAKE]!
  }

  /** Prepares the next record that was never taken, and returns its unit. The record stays free until it gets a timer. */
  prepareFresh(): number {
    if (this.stopped) throw wheelStopped()
    if (this.used === this.capacity) this.grow()
    const { targets, targetArguments } = this
    const unit = unitOfRecord(this.used)
    const block = unit >>> BLOCK_SHIFT
    while (targetArguments.length <= block) targetArguments.push(undefined)
    if (targets[block] === undefined) targets[block] = new Array(RECORDS_PER_BLOCK)
    this.words[(unit << 2) + FILED] = NONE
    return unit
  }

  private grow(): void {
    const { core } = this.backend
    // If this is ended half-way, the next operation opens an epoch, and so restores the views.
    this.epochEnd = 0
    if (!core.grow(this)) throw wheelFull(this.pending)
    this.capacity = core.blocks * RECORDS_PER_BLOCK
  }

  /** The records of all pending timers. */
  *pendingUnits(): Generator<number, void> {
    for (let n = 0; n < this.used; n++) {
      const unit = unitOfRecord(n)
      if (this.words[(unit << 2) + DEADLINE] !== NEVER) yield unit
    }
  }

  /** The groups that have members. */
  *groupsOfPending(): Generator<GroupRecord, void> {
    for (const unit of this.pendingUnits()) {
      const target = this.targetOf(unit)
      if (target !== undefined && isGroup(target)) yield target
    }
  }

  /** Whether the record of an expiration still has a timer. Changes nothing. */
  isPending(unit: number): boolean {
    return unit !== 0 && this.words[(unit << 2) + DEADLINE] !== NEVER
  }

  // ---- deadlines ----------------------------------------------------------------------------------------------------

  /** Converts milliseconds to ticks. */
  ticksOf(ms: number): number {
    return roundIfClose(ms / this.tick, this.error)
  }

  /** Converts a deadline, or `WAKE`, to the scale that does not wrap. */
  unwrap(tick: number): number {
    return this.advanced + ((tick - this.advanced) | 0)
  }

  /** Reads the clock, in ticks. */
  now(): number {
    return this.backend.now()
  }

  /** Reads the clock for an operation whose deadline is final: see timers.ts. */
  abstract finalNow(): number

  /** Makes the deadlines of all former operations final. Then reads the clock, in ticks. */
  abstract settledNow(): number

  /** Closes the epoch, and opens one that 64 operations share. */
  abstract openSharedEpoch(): void

  hostOrigin(): number {
    if (Number.isNaN(this.origin)) this.origin = Math.round(this.host.now() - this.now() * this.tick)
    return this.origin
  }

  /** Gives a pending timer a tick at which it is due, on the scale that does not wrap, and an order number. */
  setDue(unit: number, due: number, order: number): void {
    this.makeRoom()
    this.words[INEXACT] = 1
    const stage = this.far.stageOf(unit, due)
    this.setDeadline(unit, stage, order, stage === due ? 0 : due)
  }

  /**
   * Sets a record's deadline and order number, and the due time of a far timer (0: it is not far). Submits the record,
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
}
