/**
 * The clock and the order of operations. The clock is read once an epoch, which is 64 operations at most, each with its
 * order number; a log of the epochs tells when a postponed handle is due, which keeps nothing but such a number.
 */
import type { OpenBackend } from './backend.js'
import { DELAY_LIMIT, EpochLog } from './epoch_log.js'
import type { Host } from './host.js'
import {
  ARMED,
  BLOCK_SHIFT,
  CLOSED,
  DEADLINE,
  EPOCH_END,
  EPOCH_LENGTH,
  FIRST_STATE,
  NEVER,
  NOW,
  NOW_CEIL,
  ORDER,
  ORDER_NUMBER,
  RECORD_MASK,
  SUBMITTED,
  UNFINISHED,
  unitOfRecord,
  WAKE,
} from './memory.js'
import { type Handle, NOT_POSTPONED } from './occupants.js'
import { Records } from './records.js'

/** Order numbers are renumbered before they leave the range of small integers, 31 bits in some engines. */
const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** A wheel that lags by more ticks, empty or in a process that was stopped, is brought up to date in steps of `MAX_STEP`. */
export const MAX_LAG = 2 ** 29
export const MAX_STEP = 2 ** 30

export abstract class Epochs extends Records {
  readonly host: Host
  /** Milliseconds a tick lasts. */
  readonly tick: number
  /** The longest delay of a handle that can be postponed: as far as the epoch log reaches. */
  readonly longestPostponed: number
  /** The next order number. */
  protected order = 0
  /** See {@link Client.epochEnd}. */
  epochEnd = 0
  /** `NOW_CEIL` as it stands while the epoch is open. */
  protected nowCeil = 0
  /** The tick up to which the wheel has been advanced, on the scale that does not wrap. */
  protected advanced = 0
  /** The order number that the epoch began with, and that of the last operation that postponed. */
  protected epoch = 0
  protected lastPostponed = -1
  private readonly log = new EpochLog()
  /** The host's clock, in whole milliseconds, when this wheel's stood at 0; NaN until somebody asks. */
  private origin = Number.NaN

  constructor(open: OpenBackend, host: Host, tick: number) {
    super(open, tick)
    this.host = host
    this.tick = tick
    this.longestPostponed = tick === 1 ? DELAY_LIMIT : 0
  }

  /** Reads the clock afresh. */
  readClock(): number {
    this.openEpoch()
    return this.reals[NOW]!
  }

  protected hostOrigin(): number {
    if (Number.isNaN(this.origin)) {
      this.origin = Math.round(this.host.now() - this.readClock() * this.tick)
    }
    return this.origin
  }

  /** Reads the clock for the next 64 operations. */
  protected openEpoch(): void {
    this.turnEpoch()
    if (this.order > LAST_ORDER) {
      this.renumber()
      this.turnEpoch()
    }
    if (this.reals[NOW]! - this.advanced > MAX_LAG && this.pending === 0) this.catchUp()
    this.nowCeil = this.words[NOW_CEIL]!
    this.wake = this.words[WAKE]!
    this.epochEnd = this.words[EPOCH_END]!
  }

  /** Ends the epoch, if it has not been ended by the driver, and begins the next. */
  private turnEpoch(): void {
    const { words, reals } = this
    const opened = reals[NOW]!
    words[ORDER] = this.order
    this.backend.openEpoch()
    if (this.lastPostponed >= this.epoch) this.logEpoch(opened)
    this.epoch = this.order
  }

  /** Notes from when the delays of the handles count that the epoch which has just ended has postponed. */
  private logEpoch(opened: number): void {
    // As the core does it for records: none may be early, whenever in the epoch it was postponed.
    this.log.append(this.epoch, Math.max(Math.ceil(opened), Math.ceil(this.reals[CLOSED]!)))
    this.forgetEpochs()
  }

  /** Forgets the epochs that no pending timer can have been postponed in. */
  protected forgetEpochs(): void {
    const { words } = this
    if (words[SUBMITTED] !== 0 || words[UNFINISHED] !== 0) return
    // What was due before has expired.
    const now = Math.floor(this.reals[NOW]!)
    const ahead = words[ARMED] === 0 ? 0 : (words[WAKE]! - (now | 0)) | 0
    this.log.forget(now + Math.min(ahead, 0))
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

  /** Gives the pending timers the first order numbers again, in their order. Once in a billion operations; O(n log n). */
  private renumber(): void {
    const { words } = this
    const pending: { order: number; record: number }[] = []
    for (let n = 0; n < this.used; n++) {
      const unit = unitOfRecord(n)
      const record = unit << 2
      if (words[record + DEADLINE] === NEVER) continue
      const handle = this.postponedHandle(unit)
      if (handle !== undefined) this.fileFor(unit, this.takePostponed(unit, handle))
      pending.push({ order: words[record + ORDER_NUMBER]!, record })
    }
    pending.sort((a, b) => a.order - b.order)
    pending.forEach(({ record }, order) => {
      words[record + ORDER_NUMBER] = order
    })
    this.order = pending.length
    this.epoch = this.order
    this.lastPostponed = -1
    this.log.clear()
  }

  /** The handle of a record whose deadline has been postponed. */
  protected postponedHandle(unit: number): Handle | undefined {
    const occupant = this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]
    if (occupant === undefined || typeof occupant === 'function') return undefined
    return occupant._order < 0 ? undefined : occupant
  }

  /** Takes over what a handle says of its timer. Returns the deadline, for the record. */
  protected takePostponed(unit: number, handle: Handle): number {
    if (handle._order >= this.epoch) this.openEpoch()
    // Order numbers may just have begun anew.
    if (handle._order < 0) return this.words[(unit << 2) + DEADLINE]!
    const deadline = this.postponedDeadline(handle)
    this.words[(unit << 2) + ORDER_NUMBER] = handle._order
    handle._order = NOT_POSTPONED
    return deadline
  }

  protected postponedDeadline(handle: Handle): number {
    const tick = (this.log.tickOf(handle._order) + handle._ms) | 0
    return tick < 0 && tick >= FIRST_STATE ? 0 : tick
  }
}
