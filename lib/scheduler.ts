/**
 * One wheel's timers on the JavaScript side: takes records, writes deadlines, submits what needs an entry in the wheel,
 * and runs what expires. No operation crosses into the compiled core; see native/core/layout.h for the memory they share.
 */
import type { Backend, OpenBackend } from './backend.js'
import { wheelFull } from './errors.js'
import type { Host } from './host.js'
import { IdSpace, LAST_GENERATION } from './ids.js'
import {
  BASE_BLOCKS,
  BLOCK_SHIFT,
  DEADLINE,
  EPOCH,
  EPOCH_CLOSED,
  EPOCH_LENGTH,
  EXPIRATIONS,
  EXPIRED,
  FILED,
  FIRST_STATE,
  GENERATION,
  HELD,
  LEAST_SLACK,
  NEVER,
  NONE,
  NOW,
  ORDER,
  ORDER_NUMBER,
  PENDING,
  QUEUED,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  SLACK,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  TOUCHED,
  UNFINISHED,
  unitOfRecord,
  WAKE,
} from './memory.js'

/** A timer with a handle. Takes its record out of the scheduler before it runs its callback. */
export interface Expirable {
  expire(): void
}
export type Callback = (argument: unknown) => unknown
type Occupant = Callback | Expirable

/** A timer that had not run when its wheel was stopped. */
export interface Leftover {
  occupant: Occupant
  argument: unknown
  unit: number
  /** Milliseconds until it would have been due; 0 or less: it was. */
  remaining: number
}

/** Deadlines further off, in ticks, are approached in steps: ticks wrap at 2^32. */
const FARTHEST = 2 ** 30
/** Order numbers are renumbered before they leave the range of small integers, 31 bits in some engines. */
const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export class Scheduler {
  readonly backend: Backend
  readonly host: Host
  readonly ids = new IdSpace()
  /** Milliseconds a tick lasts. */
  readonly tick: number
  stopped = false

  private readonly budget: number
  private words: Int32Array
  private reals: Float64Array
  /** What each record is for, by block: its occupant, then the occupant's argument. */
  private readonly pages: unknown[][] = []
  /** The most recently freed record, or 0; each free record names the next. */
  private free = 0
  /** How many records were ever taken, and how many there are. */
  private used = 0
  private capacity = RECORDS_PER_BLOCK
  /** The due times, in ticks, of timers beyond `FARTHEST`. */
  private readonly far = new Map<number, number>()
  private hasFar = false
  /** The next of the expirations to run. */
  private next = 0
  /** The tick up to which the expirations are due. */
  private target = 0

  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    this.host = host
    this.tick = tick
    this.budget = budget
    this.backend = open(tick, () => this.dispatch())
    this.words = this.backend.core.words
    this.reals = this.backend.core.reals
  }

  get pending(): number {
    return this.words[PENDING]!
  }

  /** The clock, in ticks, as the last operation read it. */
  get now(): number {
    return this.reals[NOW]!
  }

  // `start`, `arm` and `release` are what programs call in masses: each is one function with its rare cases apart, so that
  // the engine inlines it whole.

  /**
   * Starts a timer. O(1).
   *
   * @param delay in ticks, not necessarily whole
   * @param referenced whether it keeps the event loop alive
   * @returns the record's unit
   */
  start(occupant: Occupant, argument: unknown, delay: number, referenced: boolean): number {
    const unit = this.take(occupant, argument, referenced)
    this.arm(unit, delay)
    return unit
  }

  /** Starts a timer that is due at `due` on the clock, in ticks, whatever time has passed since that was read. */
  startAt(occupant: Occupant, argument: unknown, due: number, referenced: boolean): number {
    const unit = this.take(occupant, argument, referenced)
    const now = this.readClock()
    const tick = Math.max(Math.ceil(due), Math.floor(now) + 1)
    this.touch(unit, Number.POSITIVE_INFINITY)
    if (tick - now > FARTHEST) this.setFar(unit, due)
    this.fileFor(unit, Math.min(tick, Math.floor(now + FARTHEST)) | 0)
    return unit
  }

  /** Gives a started timer a new delay, in ticks. It goes to the back of its tick's order. O(1). */
  arm(unit: number, delay: number): void {
    if (this.hasFar || delay > FARTHEST) delay = this.enterFar(unit, delay)
    const { words, reals } = this
    let order = words[ORDER]!
    if (order - words[EPOCH]! >= EPOCH_LENGTH) order = this.openEpoch()
    const now = reals[NOW]!
    const due = now + delay
    let tick = Math.ceil(due)
    // What is set in a callback never runs in the same pass, not even without a delay.
    if (tick === now) tick++
    const slack = tick - due
    if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
    const i = order & (EPOCH_LENGTH - 1)
    reals[SLACK + i] = slack
    words[TOUCHED + i] = unit
    words[ORDER] = order + 1

    let deadline = tick | 0
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    const record = unit << 2
    words[record + DEADLINE] = deadline
    words[record + ORDER_NUMBER] = order
    const filed = words[record + FILED]!
    if (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - words[WAKE]!) | 0) < 0) {
      this.submit(unit)
    }
  }

  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  release(unit: number, referenced: boolean): void {
    const { words } = this
    const page = this.pages[unit >>> BLOCK_SHIFT]!
    const i = (unit & RECORD_MASK) << 1
    page[i] = undefined
    page[i + 1] = undefined
    if (this.hasFar) this.forgetFar(unit)
    const record = unit << 2
    words[record + DEADLINE] = NEVER
    words[record + ORDER_NUMBER] = this.free
    this.free = unit
    words[PENDING] = words[PENDING]! - 1
    if (referenced) this.unreference()
  }

  /** Ends a timer that has an id: no later use of its record will have the same. O(1). */
  releaseId(unit: number): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    words[(unit << 2) + GENERATION] = generation
    this.ids.saw(generation)
    this.release(unit, true)
    // The ids of this record are used up, and it with them.
    if (generation === LAST_GENERATION) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  reference(): void {
    const words = this.words
    words[REFERENCED] = words[REFERENCED]! + 1
    if (words[HELD]! < 2) this.backend.hold()
  }

  unreference(): void {
    const words = this.words
    const referenced = words[REFERENCED]! - 1
    words[REFERENCED] = referenced
    if (referenced === 0) this.backend.idle()
  }

  /** Reads the clock afresh. */
  readClock(): number {
    this.openEpoch()
    return this.reals[NOW]!
  }

  /** The id of a started timer. */
  idOf(unit: number): number {
    const block = unit >>> BLOCK_SHIFT
    const number = this.ids.numberOf(block)
    return this.ids.idOf(number, unit, this.words[(unit << 2) + GENERATION]!)
  }

  /** Makes sure that the record which `start` takes next can have an id. @throws RangeError where no ids are left */
  prepareId(): void {
    if (this.free === 0 && this.used === this.capacity) this.grow()
    const unit = this.free === 0 ? unitOfRecord(this.used) : this.free
    const block = unit >>> BLOCK_SHIFT
    if (this.ids.numberOf(block) !== -1) return
    const base = this.ids.claim(block)
    if (base === 0) return
    for (let i = 0; i < RECORDS_PER_BLOCK; i++) {
      const at = (((block << BLOCK_SHIFT) + i) << 2) + GENERATION
      this.words[at] = this.words[at]! + base
    }
  }

  /** The record of a pending timer's id, or 0: the id is stale, or another wheel's, or none. */
  unitOfId(id: number): number {
    const unit = this.ids.unitOf(id)
    if (unit === 0 || this.words[(unit << 2) + DEADLINE] === NEVER || this.idOf(unit) !== id) return 0
    // Not a handle's: those have no ids of this kind.
    return typeof this.pages[unit >>> BLOCK_SHIFT]?.[(unit & RECORD_MASK) << 1] === 'function' ? unit : 0
  }

  /**
   * Runs what is due, for at most the budget of time. Throws what a callback throws; to be called again for the rest.
   *
   * @returns whether something due was left
   */
  dispatch(): boolean {
    const words = this.words
    const { host } = this
    const { drain } = host
    const started = host.now()
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) {
      this.openEpoch()
      this.target = Math.floor(this.reals[NOW]!) | 0
      this.expire()
    }
    for (;;) {
      while (this.next < this.words[EXPIRED]!) {
        if (ran === checkAt) {
          const elapsed = host.now() - started
          const left = this.budget - elapsed
          if (left <= 0) return true
          // As many as surely fit, by what they took so far.
          checkAt += Math.max(1, Math.min(LONGEST_STRIDE, (left * ran) / (4 * elapsed)) | 0)
        }
        const unit = this.words[EXPIRATIONS + this.next++]!
        if (!this.isDue(unit)) continue
        ran++
        this.run(unit)
        if (this.stopped) return false
        drain?.()
        if (this.stopped) return false
      }
      if (this.words[UNFINISHED] === 0) return false
      if (host.now() - started >= this.budget) return true
      this.expire()
    }
  }

  /** Ends all timers and the backend. Returns the timers that were pending, in the order they would have run. */
  stop(): Leftover[] {
    this.stopped = true
    const words = this.words
    const now = this.readClock()
    const left: (Leftover & { due: number; order: number })[] = []
    for (let n = 0; n < this.used; n++) {
      const unit = unitOfRecord(n)
      const record = unit << 2
      const deadline = words[record + DEADLINE]!
      if (deadline === NEVER) continue
      const due = this.far.get(unit) ?? Math.floor(now) + ((deadline - (Math.floor(now) | 0)) | 0)
      const page = this.pages[unit >>> BLOCK_SHIFT]!
      const i = (unit & RECORD_MASK) << 1
      left.push({
        occupant: page[i] as Occupant,
        argument: page[i + 1],
        unit,
        remaining: (due - now) * this.tick,
        due: Math.ceil(due),
        order: words[record + ORDER_NUMBER]!,
      })
    }
    left.sort((a, b) => a.due - b.due || a.order - b.order)
    for (const { unit } of left) this.release(unit, false)
    words[REFERENCED] = 0
    this.next = words[EXPIRED]!
    this.backend.idle()
    this.backend.close()
    return left
  }

  // ---- records ----------------------------------------------------------------------------------------------------

  private take(occupant: Occupant, argument: unknown, referenced: boolean): number {
    let unit = this.free
    if (unit !== 0) this.free = this.words[(unit << 2) + ORDER_NUMBER]!
    else unit = this.takeFresh()
    const page = this.pages[unit >>> BLOCK_SHIFT]!
    const i = (unit & RECORD_MASK) << 1
    page[i] = occupant
    page[i + 1] = argument
    const words = this.words
    words[PENDING] = words[PENDING]! + 1
    if (referenced) words[REFERENCED] = words[REFERENCED]! + 1
    if (words[HELD]! < (referenced ? 2 : 1)) this.backend.hold()
    return unit
  }

  private takeFresh(): number {
    if (this.used === this.capacity) this.grow()
    const unit = unitOfRecord(this.used++)
    this.pages[unit >>> BLOCK_SHIFT] ??= new Array(2 * RECORDS_PER_BLOCK)
    this.words[(unit << 2) + FILED] = NONE
    return unit
  }

  private grow(): void {
    const { core } = this.backend
    if (!core.grow()) throw wheelFull(this.pending)
    this.words = core.words
    this.reals = core.reals
    const blocks = Math.floor(core.words.length / (4 << BLOCK_SHIFT)) - BASE_BLOCKS
    this.capacity = blocks * RECORDS_PER_BLOCK
  }

  /** Gives a record the next order number. `slack`: by how much its deadline is later than it has to be. */
  private touch(unit: number, slack: number): void {
    const { words } = this
    const order = words[ORDER]!
    words[ORDER] = order + 1
    words[TOUCHED + (order & (EPOCH_LENGTH - 1))] = unit
    this.reals[SLACK + (order & (EPOCH_LENGTH - 1))] = slack
    words[(unit << 2) + ORDER_NUMBER] = order
  }

  /** Sets a record's deadline, as {@link arm} does, and submits it. */
  private fileFor(unit: number, tick: number): void {
    this.words[(unit << 2) + DEADLINE] = tick < 0 && tick >= FIRST_STATE ? 0 : tick
    this.submit(unit)
  }

  /** Submits a record: it has no entry, or no wake-up, early enough for its deadline. */
  private submit(unit: number): void {
    const { words } = this
    const record = unit << 2
    if (words[record + FILED] === QUEUED) return
    words[record + FILED] = QUEUED
    const submitted = words[SUBMITTED]!
    words[SUBMISSIONS + submitted] = unit
    words[SUBMITTED] = submitted + 1
    if (submitted + 1 === SUBMISSIONS_CAPACITY) this.backend.takeSubmissions()
  }

  // ---- the clock --------------------------------------------------------------------------------------------------

  /** Reads the clock for the next 64 operations. Returns the next order number. */
  private openEpoch(): number {
    const { words } = this
    if (words[ORDER]! > LAST_ORDER) this.renumber()
    this.backend.openEpoch()
    return words[ORDER]!
  }

  /** Gives the pending timers the first order numbers again, in their order. Once in a billion operations; O(n log n). */
  private renumber(): void {
    // What was touched since the clock was read is settled first: it is known by its number.
    this.backend.openEpoch()
    const words = this.words
    const keys: number[] = []
    const orders = new Map<number, number>()
    for (let n = 0; n < this.used; n++) {
      const record = unitOfRecord(n) << 2
      if (words[record + DEADLINE] === NEVER) continue
      orders.set(words[record + ORDER_NUMBER]!, record)
      keys.push(words[record + ORDER_NUMBER]!)
    }
    const sorted = Int32Array.from(keys).sort()
    sorted.forEach((order, n) => {
      words[orders.get(order)! + ORDER_NUMBER] = n
    })
    words[ORDER] = sorted.length
    words[EPOCH] = sorted.length - EPOCH_CLOSED
  }

  // ---- far deadlines ----------------------------------------------------------------------------------------------

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
    this.hasFar = true
  }

  private forgetFar(unit: number): void {
    this.far.delete(unit)
    this.hasFar = this.far.size > 0
  }

  /** A stage on the way to a far deadline: files the timer for the next, its order number unchanged. */
  private approach(unit: number, due: number): void {
    const left = due - this.reals[NOW]!
    if (left <= FARTHEST) this.forgetFar(unit)
    this.fileFor(unit, Math.ceil(left <= FARTHEST ? due : this.reals[NOW]! + FARTHEST) | 0)
  }

  // ---- expiry -----------------------------------------------------------------------------------------------------

  private expire(): void {
    this.next = 0
    this.backend.advance(this.target)
  }

  /** An earlier callback may have cancelled the timer or put it off, or its record may serve another by now. */
  private isDue(unit: number): boolean {
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER || ((this.target - deadline) | 0) < 0) return false
    if (!this.hasFar) return true
    const due = this.far.get(unit)
    if (due === undefined || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true
    this.approach(unit, due)
    return false
  }

  private run(unit: number): void {
    const page = this.pages[unit >>> BLOCK_SHIFT]!
    const i = (unit & RECORD_MASK) << 1
    const occupant = page[i] as Occupant
    if (typeof occupant === 'function') {
      const argument = page[i + 1]
      this.releaseId(unit)
      occupant(argument)
    } else {
      occupant.expire()
    }
  }
}
