/**
 * The clock and the order of operations.
 *
 * A timer counts from its own call, so the first operations of a turn of the event loop read the clock each, and their
 * deadlines are final. If the program works between operations, later ones read it too. Masses of operations could not
 * afford that: 64 at a time share a reading, and the core makes up for the time that has passed when their epoch is closed.
 * Each operation has an order number; a log tells when a refreshed handle is due, which keeps nothing but such a number.
 */

import {
  ARMED,
  BLOCK_SHIFT,
  CLOSED,
  DEADLINE,
  EPOCH_END,
  EPOCH_LENGTH,
  FIRST_STATE,
  LEAST_SLACK,
  NEVER,
  NOW,
  NOW_CEIL,
  ORDER,
  ORDER_NUMBER,
  RECORD_MASK,
  SINCE,
  SPARE,
  SUBMITTED,
  UNFINISHED,
  unitOfRecord,
  WAKE,
} from '../../memory/layout.js'
import type { OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/host.js'
import { Records } from './records.js'
import { RefreshLog } from './refresh-log.js'
import type { Handle } from './timer-target.js'

/** How many operations of a turn read the clock each. */
const EXACT_OPERATIONS = 32
/**
 * The last of them, or the last 64 that shared a reading, took more ticks: the program works between operations. Then as
 * many again read the clock, unless that is what took so long.
 */
const LONG = 0.5
/** Order numbers are renumbered before they leave the range of small integers, 31 bits in some engines. */
const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** A wheel that lags by more ticks, empty or in a process that was stopped, is brought up to date in steps of `MAX_STEP`. */
export const MAX_LAG = 2 ** 29
export const MAX_STEP = 2 ** 30

export abstract class EpochClock extends Records {
  readonly host: Host
  /** Milliseconds a tick lasts. */
  readonly tick: number
  /** The next order number. */
  protected order = 0
  /** See {@link Client.epochEnd}. */
  epochEnd = 0
  /** `NOW_CEIL` as it stands while the epoch is open. */
  protected nowCeil = 0
  /** The open epoch is of the operation that is under way, and its deadline is final. */
  protected isExact = false
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  protected advanced = 0
  /** The longest delay of any timer so far, in milliseconds: how far back refreshes may be asked for. */
  protected longestDelay = 0
  /** From which order number on refreshes are not in the log yet, and the number of the last one. */
  protected unlogged = 0
  protected lastRefresh = -1
  protected readonly log = new RefreshLog(() => {
    this.words[SPARE] = 1
  })
  private exactLeft = 0
  /** When the first of them was, or the first that shared the last reading: in ticks. */
  private rowStart = 0
  /** The host's clock, in whole milliseconds, when this wheel's stood at 0; NaN until somebody asks. */
  private origin = Number.NaN

  constructor(open: OpenBackend, host: Host, tick: number) {
    super(open, tick)
    this.host = host
    this.tick = tick
  }

  /** The clock, in ticks, for what is set now. */
  now(): number {
    return this.backend.now()
  }

  /** The clock, in ticks, once nothing adjusts the deadlines any more of what was set before. */
  settledNow(): number {
    this.openShared()
    this.epochEnd = 0
    return this.reals[NOW]!
  }

  protected hostOrigin(): number {
    if (Number.isNaN(this.origin)) this.origin = Math.round(this.host.now() - this.now() * this.tick)
    return this.origin
  }

  /** Reads the clock for the next operation, or for the next 64. */
  protected openEpoch(): void {
    this.restoreViews()
    if (this.order > LAST_ORDER) {
      this.openShared()
      this.renumber()
    }
    const isClosed = this.words[EPOCH_END] === 0
    // The driver has had control: a turn begins.
    if (isClosed || this.epochEnd === 0) this.exactLeft = EXACT_OPERATIONS
    // Not while deadlines still count from a reading that was shared.
    const isFree = isClosed || this.isExact || this.order === this.unlogged
    if (this.exactLeft > 0 && isFree) this.openExact()
    else {
      const start = this.rowStart
      this.openShared()
      if (this.isLong(this.rowStart - start)) this.exactLeft = EXACT_OPERATIONS
      // It has no operations yet.
      if (this.exactLeft > 0) this.openExact()
    }
    if (this.reals[NOW]! - this.advanced > MAX_LAG && this.pending === 0) this.catchUp()
  }

  /** Whether the program works between operations: a row of them took so many ticks. */
  private isLong(row: number): boolean {
    if (row < LONG) return false
    const reading = this.backend.now() - this.rowStart
    return row > EPOCH_LENGTH * reading
  }

  private openExact(): void {
    const now = this.backend.now()
    this.logRefreshes()
    const { words, reals } = this
    if (this.exactLeft-- === EXACT_OPERATIONS) this.rowStart = now
    if (words[SUBMITTED] === 0) reals[SINCE] = now
    reals[NOW] = now
    reals[LEAST_SLACK] = Number.POSITIVE_INFINITY
    words[EPOCH_END] = 1
    this.isExact = true
    this.unlogged = this.order
    this.nowCeil = Math.ceil(now) | 0
    this.wake = words[WAKE]!
    // Before this operation: one that is interrupted leaves no reading behind.
    this.epochEnd = this.order
  }

  /** Has the core close the epoch, if the driver has not, and open one that 64 operations share. */
  protected openShared(): void {
    this.restoreViews()
    const { words } = this
    // While the core is at it there is none.
    this.epochEnd = 0
    words[ORDER] = this.order
    this.backend.openEpoch()
    this.logRefreshes()
    this.isExact = false
    this.unlogged = this.order
    this.rowStart = this.reals[NOW]!
    this.nowCeil = words[NOW_CEIL]!
    this.wake = words[WAKE]!
    this.epochEnd = words[EPOCH_END]!
  }

  /** Logs the refreshes of the epoch that is closed. */
  private logRefreshes(): void {
    if (this.lastRefresh < this.unlogged) return
    this.logRefresh(this.unlogged, this.reals[CLOSED]!)
    this.unlogged = this.order
  }

  /** Logs refreshes from `order` on, none of them later than `time`, in ticks. */
  protected logRefresh(order: number, time: number): void {
    const ms = Math.ceil(time * this.tick)
    if (this.log.isOutgrownBy(ms)) this.applyAllRefreshes()
    this.log.append(order, ms)
    this.forgetRefreshes()
  }

  /** Forgets the refreshes that no pending timer can be due by. */
  protected forgetRefreshes(): void {
    const { words } = this
    if (words[SUBMITTED] !== 0 || words[UNFINISHED] !== 0) return
    // What was due before has expired.
    const now = Math.floor(this.reals[NOW]!)
    const ahead = words[ARMED] === 0 ? 0 : (words[WAKE]! - (now | 0)) | 0
    this.log.forget((now + Math.min(ahead, 0)) * this.tick - this.longestDelay)
  }

  /** Brings a wheel up to date that nothing has moved for long, as nothing was pending: ticks must not wrap past it. */
  private catchUp(): void {
    const now = Math.floor(this.reals[NOW]!)
    while (this.advanced < now) {
      this.advanced = Math.min(this.advanced + MAX_STEP, now)
      do this.backend.advance(this.advanced | 0)
      while (this.words[UNFINISHED] !== 0)
    }
  }

  /** The records of all pending timers. */
  protected *pendingUnits(): Generator<number, void> {
    for (let n = 0; n < this.used; n++) {
      const unit = unitOfRecord(n)
      if (this.words[(unit << 2) + DEADLINE] !== NEVER) yield unit
    }
  }

  /** Gives the pending timers the first order numbers again, in their order. Once in a billion operations; O(n log n). */
  private renumber(): void {
    this.applyAllRefreshes()
    const { words } = this
    const records = Array.from(this.pendingUnits(), (unit) => unit << 2)
    records.sort((a, b) => words[a + ORDER_NUMBER]! - words[b + ORDER_NUMBER]!)
    // If it is interrupted here, it begins again, with numbers that are still in order among themselves on either side.
    for (let order = 0; order < records.length; order++) words[records[order]! + ORDER_NUMBER] = order
    this.order = records.length
    this.unlogged = this.order
    this.lastRefresh = -1
    // The next operation has to open an epoch of these numbers.
    this.epochEnd = 0
  }

  /** Lets go of when handles were refreshed, while nothing is pending. */
  protected forgetLog(): void {
    this.unlogged = this.order
    this.lastRefresh = -1
    this.longestDelay = 0
    this.log.clear()
  }

  /** Tells the records of all refreshed handles what follows from the log, which is empty then. */
  private applyAllRefreshes(): void {
    for (const unit of this.pendingUnits()) {
      const handle = this.refreshedHandle(unit)
      if (handle !== undefined && handle._order < this.unlogged) this.applyRefresh(unit, handle)
    }
    this.log.clear()
  }

  /** Brings the record of a pending timer up to date with its handle, whose `_ms` may then change. O(log n). */
  abstract applyRefresh(unit: number, handle: Handle): void

  /** The handle of a record that was refreshed since the record was written. */
  protected refreshedHandle(unit: number): Handle | undefined {
    const target = this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]
    if (target === undefined || typeof target === 'function') return undefined
    return target._order < 0 ? undefined : target
  }

  /** When a refreshed handle is due, in ticks on the scale that does not wrap; its refresh is logged before. */
  protected refreshedDue(handle: Handle): number {
    const due = Math.ceil((this.log.timeOf(handle._order) + handle._ms) / this.tick)
    const wrapped = due | 0
    return wrapped < 0 && wrapped >= FIRST_STATE ? due - wrapped : due
  }

  /** Has all refreshes stand in the log. */
  protected logAll(): void {
    if (this.lastRefresh >= this.unlogged) this.openShared()
  }
}
