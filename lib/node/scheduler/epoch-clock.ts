/**
 * The clock and the order of operations.
 *
 * The delay of a timer counts from the call that sets it. So each of the first operations of a turn reads the clock, and its
 * deadline is final. If the program works between operations, later ones read the clock too. For masses of operations that
 * costs too much: 64 of them, an epoch, share one reading. The core makes up for the passed time when it closes the epoch.
 *
 * Each operation has an order number. A refreshed handle stores only this number; a log has the time of the refresh.
 */
import { EXACT, LAST_ORDER, LONG } from '../../common/epochs.js'
import { FOREVER } from '../../common/forever.js'
import { putOff, stepOf } from '../../common/put-off.js'
import { unitsPerMs, unitsPerTick } from '../../common/ticks.js'
// biome-ignore format: a list of words
import {
  ARMED, BLOCK_SHIFT, CLOSED, DEADLINE, EPOCH_END, EPOCH_LENGTH, FIRST_STATE, LEAST_SLACK, MAX_STEP, NEVER, NOW,
  NOW_CEIL, ORDER, ORDER_NUMBER, RECORD_MASK, SINCE, SPARE, SUBMITTED, UNFINISHED, unitOfRecord, WAKE,
} from '../../memory/layout.js'
import type { OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/host.js'
import { errorOf, roundIfClose } from './exact-ticks.js'
import { Records } from './records.js'
import { RefreshLog } from './refresh-log.js'
import type { Handle } from './timer-target.js'
import { Totals } from './totals.js'

/** A wheel that lags by more has to catch up. */
export const MAX_LAG = 2 ** 29

/** A word that holds an order number. */
interface Numbered {
  readonly words: Int32Array
  readonly at: number
  /** It belongs to a member of a group, whose time is in the log. */
  readonly isMember: boolean
}

export abstract class EpochClock extends Records {
  readonly host: Host
  /** The length of a tick in milliseconds. */
  readonly tick: number
  /** The part by which ticks can be wrong; 0 for ticks of 1 ms. */
  readonly error: number
  /** Deadlines are multiples of it, in ticks: see common/put-off.ts. */
  step = 1
  /** The log counts in these units: see common/ticks.ts. */
  readonly unitsPerMs: number
  private readonly unitsPerTick: number
  /** The next order number. */
  order = 0
  /** The number of new timers since order numbers last started from 0. */
  scheduled = 0
  readonly totals = new Totals()
  /** See {@link Client.epochEnd}. */
  epochEnd = 0
  /** The value of `NOW_CEIL` while the epoch is open. */
  nowCeil = 0
  /** The open epoch has only the present operation, whose deadline is final. */
  isExact = false
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  advanced = 0
  /** The longest delay of any timer so far, in milliseconds. The log keeps refreshes up to this age. */
  longestDelay = 0
  /** The order number from which refreshes are not in the log yet, and the number of the last refresh. */
  unlogged = 0
  lastRefresh = -1
  log = this.openLog()
  private exactLeft = 0
  /** The time of the first exact operation, or of the first that shared the last reading, in ticks. */
  private rowStart = 0
  /** The time on the host's clock at which this wheel's clock was 0, in whole milliseconds; NaN until it is needed. */
  private origin = Number.NaN

  constructor(open: OpenBackend, host: Host, tick: number) {
    super(open, tick)
    this.host = host
    this.tick = tick
    this.error = errorOf(tick)
    this.unitsPerMs = unitsPerMs(tick)
    this.unitsPerTick = unitsPerTick(tick)
  }

  /** Converts milliseconds to ticks. */
  ticksOf(ms: number): number {
    return roundIfClose(ms / this.tick, this.error)
  }

  /** Sets by how much each timer may be put off, in milliseconds. */
  setSlack(ms: number): void {
    this.step = stepOf(ms, this.tick)
  }

  /** Reads the clock, in ticks. */
  now(): number {
    return this.backend.now()
  }

  /** Makes the deadlines of all former operations final. Then reads the clock, in ticks. */
  settledNow(): number {
    this.openShared()
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
      this.openShared()
      this.renumber()
    }
    const isClosed = this.words[EPOCH_END] === 0
    // The driver has run, so a turn begins.
    if (isClosed || this.epochEnd === 0) this.exactLeft = EXACT
    // Whether no deadline still depends on a shared reading.
    const isFree = isClosed || this.isExact || this.order === this.unlogged
    if (this.exactLeft > 0 && isFree) this.openExact()
    else {
      const start = this.rowStart
      this.openShared()
      if (this.isLong(this.rowStart - start)) this.exactLeft = EXACT
      // The shared epoch has no operations yet.
      if (this.exactLeft > 0) this.openExact()
    }
    if (this.reals[NOW]! - this.advanced > MAX_LAG && this.pending === 0) this.catchUp()
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
    this.logRefreshes()
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
  openShared(): void {
    this.closeExact()
    this.backend.openEpoch()
    this.noteShared()
    this.epochEnd = this.words[EPOCH_END]!
  }

  /** Prepares for a new epoch. None is open until the core has returned. */
  closeExact(): void {
    this.restoreViews()
    this.epochEnd = 0
    this.words[ORDER] = this.order
  }

  /** The core has opened an epoch. No operation takes part in it until its end is noted in `epochEnd`. */
  noteShared(): void {
    const { words } = this
    this.logRefreshes()
    this.isExact = false
    this.unlogged = this.order
    this.rowStart = this.reals[NOW]!
    this.nowCeil = words[NOW_CEIL]!
    this.wake = words[WAKE]!
  }

  /** Logs the refreshes of the closed epoch. */
  private logRefreshes(): void {
    if (this.lastRefresh < this.unlogged) return
    this.logRefresh(this.unlogged, this.reals[CLOSED]!)
    this.unlogged = this.order
  }

  /** Logs that the refreshes from `order` on were no later than `time`, in ticks. */
  logRefresh(order: number, time: number): void {
    const units = time * this.unitsPerTick
    this.log.append(order, Math.ceil(units - units * this.error))
    this.forgetRefreshes()
  }

  /** Drops the refreshes that no pending timer can refer to. */
  private forgetRefreshes(): void {
    const { words } = this
    if (words[SUBMITTED] !== 0 || words[UNFINISHED] !== 0 || this.isRunning()) return
    // All timers that were due earlier have run. A due time is rounded up to a tick, and put off.
    const now = Math.floor(this.reals[NOW]!)
    const ahead = words[ARMED] === 0 ? 0 : (words[WAKE]! - (now | 0)) | 0
    const tick = now + Math.min(ahead, 0) - this.step
    this.log.forget(tick * this.unitsPerTick - this.longestDelay * this.unitsPerMs)
  }

  /** Advances a wheel that had no timers for long, before the ticks wrap past it. */
  private catchUp(): void {
    const now = Math.floor(this.reals[NOW]!)
    while (this.advanced < now) {
      const target = Math.min(this.advanced + MAX_STEP, now)
      do this.backend.advance(target | 0)
      while (this.words[UNFINISHED] !== 0)
      this.advanced = target
    }
  }

  /** The records of all pending timers. */
  *pendingUnits(): Generator<number, void> {
    for (let n = 0; n < this.used; n++) {
      const unit = unitOfRecord(n)
      if (this.words[(unit << 2) + DEADLINE] !== NEVER) yield unit
    }
  }

  /** Renumbers the pending timers and members from 0, in their order. Runs once in a billion operations; O(n log n). */
  private renumber(): void {
    this.applyAllRefreshes()
    const { words } = this
    const numbered: Numbered[] = []
    for (const unit of this.pendingUnits()) {
      numbered.push({ words, at: (unit << 2) + ORDER_NUMBER, isMember: false })
    }
    const { pool } = this
    for (const at of pool?.taken() ?? []) numbered.push({ words: pool!.orders, at, isMember: true })
    numbered.sort((a, b) => a.words[a.at]! - b.words[b.at]!)
    const former = this.log
    const log = this.openLog()
    numbered.forEach(({ words, at, isMember }, order) => {
      if (isMember) log.append(order, former.timeOf(words[at]!))
    })
    // If it is interrupted here, it runs again: the old numbers are still in order, and so are the new ones. Members whose
    // numbers were new then count from the newest time in the log, so they are late.
    for (let order = 0; order < numbered.length; order++) numbered[order]!.words[numbered[order]!.at] = order
    if (pool !== undefined) pool.numberings++
    this.log = log
    const { totals } = this
    totals.operations += this.order - numbered.length
    totals.scheduled += this.scheduled
    totals.removed += this.removed
    this.added -= this.removed
    this.scheduled = this.removed = 0
    this.order = numbered.length
    this.unlogged = this.order
    this.lastRefresh = -1
    // The next operation opens an epoch, which starts from these numbers.
    this.epochEnd = 0
  }

  private openLog(): RefreshLog {
    return new RefreshLog(() => {
      this.words[SPARE] = 1
    })
  }

  /** Clears the log. Nothing is pending. */
  forgetLog(): void {
    this.unlogged = this.order
    this.lastRefresh = -1
    this.longestDelay = 0
    this.log.clear()
  }

  /** Writes the true deadlines of all refreshed handles into their records. */
  private applyAllRefreshes(): void {
    for (const unit of this.pendingUnits()) {
      const handle = this.refreshedHandle(unit)
      if (handle !== undefined && handle._order < this.unlogged) this.applyRefresh(unit, handle)
    }
  }

  /** Writes the true deadline of a refreshed handle into its record: see lazy-refresh.ts. */
  abstract applyRefresh(unit: number, handle: Handle): void

  /** The handle of a record, if the handle was refreshed after the record was written. */
  refreshedHandle(unit: number): Handle | undefined {
    const target = this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]
    if (target === undefined || typeof target === 'function') return undefined
    return target._order < 0 ? undefined : target
  }

  /** The true deadline of a refreshed handle, on the scale that does not wrap. The refresh must be in the log. */
  refreshedDue(handle: Handle): number {
    return this.dueAfterRefresh(handle._order, handle._ms)
  }

  /** The deadline of a timer with a delay in milliseconds, from the order number of its refresh. See `refreshedDue`. */
  dueAfterRefresh(order: number, ms: number): number {
    const time = this.log.timeOf(order)
    const ticks = (time + ms * this.unitsPerMs) / this.unitsPerTick
    const tick = Math.max(Math.ceil(ticks - ticks * this.error), Math.floor(time / this.unitsPerTick) + 1)
    const due = this.step === 1 ? tick : putOff(tick, this.step)
    const wrapped = due | 0
    return wrapped < 0 && wrapped >= FIRST_STATE ? due - wrapped : due
  }

  /** Brings all refreshes into the log. */
  logAll(): void {
    if (this.lastRefresh >= this.unlogged) this.openShared()
  }
}
