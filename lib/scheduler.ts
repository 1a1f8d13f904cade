/**
 * One wheel's timers on the JavaScript side: takes records, writes deadlines, submits what needs an entry in the wheel,
 * and runs what expires. No operation crosses into the compiled core; see native/core/layout.h for the memory they share.
 */
import type { Backend, Client, OpenBackend } from './backend.js'
import { DELAY_LIMIT, EpochLog } from './epoch_log.js'
import { wheelFull, wheelStopped } from './errors.js'
import type { Host } from './host.js'
import { IdSpace, LAST_GENERATION } from './ids.js'
import {
  ARMED,
  BASE_BLOCKS,
  BLOCK_SHIFT,
  CLOSED,
  DEADLINE,
  EPOCH_END,
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
  NOW_CEIL,
  ORDER,
  ORDER_NUMBER,
  QUEUED,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  SLACK,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  TICK,
  TOUCHED,
  UNFINISHED,
  UNREFERENCED,
  unitOfRecord,
  WAKE,
} from './memory.js'

/** A timer with a handle. */
export interface Handle {
  /** The delay in milliseconds. */
  readonly _ms: number
  /**
   * The order number of the last {@link Scheduler.postpone}, of which the record does not know yet; `NOT_POSTPONED`; or
   * `NOT_POSTPONABLE`: not pending, or its delay is longer than the epoch log reaches.
   */
  _order: number
  /** Takes the record out of the scheduler and runs the callback. */
  expire(): void
}
export const NOT_POSTPONED = -1
export const NOT_POSTPONABLE = -2

export type Callback = (argument: unknown) => unknown
type Occupant = Callback | Handle

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
/** {@link Scheduler.mode}: no flag is set. */
const USUAL = 0
/** There are far deadlines. */
const FAR = 1
/** A tick is not one millisecond. */
const SCALED = 2
/** A wheel that lags by more ticks, empty or in a process that was stopped, is brought up to date in steps of `MAX_STEP`. */
const MAX_LAG = 2 ** 29
const MAX_STEP = 2 ** 30
/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH
/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

function forbidPostponing(occupant: Occupant | undefined): void {
  if (typeof occupant === 'object') occupant._order = NOT_POSTPONABLE
}

export class Scheduler implements Client {
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
  /** What keeps timers from taking the shortest path: `USUAL`, or some of the flags above. */
  private mode = USUAL
  /** The longest delay of a handle that {@link postpone} takes: as far as the epoch log reaches. */
  readonly longestPostponed: number
  /** The next order number. */
  private order = 0
  /** See {@link Client.epochEnd}. */
  epochEnd = 0
  /** `NOW_CEIL` and `WAKE` as they stand while the epoch is open: what changes them without this object's doing closes it. */
  private nowCeil = 0
  private wake = 0
  /** The next of the expirations to run. */
  private next = 0
  /** The tick up to which the expirations are due; on the scale that does not wrap, `advanced`. */
  private target = 0
  private advanced = 0
  /** The order number that the epoch began with, and that of the last call of {@link postpone}. */
  private epoch = 0
  private lastPostponed = -1
  private readonly log = new EpochLog()
  /** Whether what callbacks throw is to be reported where it is thrown; and whether the last of them has been. */
  reportsErrors = false
  hasReported = false
  /** The host's clock, in whole milliseconds, when this wheel's stood at 0; NaN until somebody asks. */
  private origin = Number.NaN

  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    this.host = host
    this.tick = tick
    this.budget = budget
    this.backend = open(tick, this)
    this.words = this.backend.core.words
    this.reals = this.backend.core.reals
    if (tick !== 1) this.mode |= SCALED
    this.longestPostponed = tick === 1 ? DELAY_LIMIT : 0
  }

  /** How many pending timers keep the event loop alive. */
  get referenced(): number {
    return this.words[REFERENCED]!
  }

  get pending(): number {
    return this.words[REFERENCED]! + this.words[UNREFERENCED]!
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
      this.pages[unit >>> BLOCK_SHIFT]![(unit & RECORD_MASK) << 1] = occupant
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
      const { reals } = this
      const now = reals[NOW]!
      const due = now + delay
      let tick = Math.ceil(due)
      // What is set in a callback never runs in the same pass, not even without a delay.
      if (tick === now) tick++
      const slack = tick - due
      if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
      reals[SLACK + EPOCH_LENGTH + this.order - this.epochEnd] = slack
      note = ~unit
      deadline = tick | 0
    }
    const { order } = this
    this.order = order + 1
    words[(order - this.epochEnd + TOUCHED_END) | 0] = note
    if (deadline < 0 && deadline >= FIRST_STATE) deadline = 0
    words[record | DEADLINE] = deadline
    words[record | ORDER_NUMBER] = order
    const filed = words[record | FILED]!
    if (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - this.wake) | 0) < 0) this.submit(unit)
    if (isNew) {
      words[REFERENCED] = words[REFERENCED]! + 1
      if (words[HELD]! < 2) this.backend.hold()
    }
    return unit
  }

  /** Starts a timer that is due at `due` on the clock, in ticks, whatever time has passed since that was read. */
  startAt(handle: Handle, due: number, referenced: boolean): number {
    const unit = this.take(handle)
    const now = this.readClock()
    this.fileAt(unit, Math.max(Math.ceil(due), Math.floor(now) + 1), due, now)
    this.count(referenced ? REFERENCED : UNREFERENCED)
    return unit
  }

  /** Starts a timer that runs `callback(argument)` and has an id. O(1). @throws RangeError where no ids are left */
  startId(callback: Callback, argument: unknown, ms: number): number {
    this.prepareId()
    const unit = this.arm(0, callback, ms)
    this.pages[unit >>> BLOCK_SHIFT]![((unit & RECORD_MASK) << 1) + 1] = argument
    return this.idOf(unit)
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

  /** Ends a timer: its record is free from now on, and whatever expiry is under way passes over it. O(1). */
  release(unit: number, referenced: boolean): void {
    const { words } = this
    this.pages[unit >>> BLOCK_SHIFT]![(unit & RECORD_MASK) << 1] = undefined
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

  /** Ends a timer that has an id: no later use of its record will have the same. O(1). */
  releaseId(unit: number): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    words[(unit << 2) + GENERATION] = generation
    this.ids.saw(generation)
    this.pages[unit >>> BLOCK_SHIFT]![((unit & RECORD_MASK) << 1) + 1] = undefined
    this.release(unit, true)
    // The ids of this record are used up, and it with them.
    if (generation === LAST_GENERATION) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  /** A pending timer keeps the event loop alive from now on. */
  reference(): void {
    const { words } = this
    words[UNREFERENCED] = words[UNREFERENCED]! - 1
    words[REFERENCED] = words[REFERENCED]! + 1
    if (words[HELD]! < 2) this.backend.hold()
  }

  /** A pending timer no longer does. */
  unreference(): void {
    const { words } = this
    words[REFERENCED] = words[REFERENCED]! - 1
    words[UNREFERENCED] = words[UNREFERENCED]! + 1
    if (words[REFERENCED] === 0) this.backend.idle()
  }

  /** When the delay of a pending timer with a handle began, in whole milliseconds on the host's clock. */
  startOf(unit: number, handle: Handle): number {
    // So that nothing is adjusted any more: asked again, it says the same.
    const now = this.readClock()
    return this.hostOrigin() + Math.round(this.dueOf(unit, now) * this.tick) - handle._ms
  }

  /** Lets the delay of a pending timer with a handle count from a time on the host's clock. It goes to the back. O(1). */
  startFrom(unit: number, handle: Handle, start: number): void {
    const now = this.readClock()
    const due = (start - this.hostOrigin() + handle._ms) / this.tick
    // It may be due already, but not in the pass that is under way.
    this.fileAt(unit, Math.max(Math.ceil(due), this.advanced + 1), due, now)
  }

  /** Brings the record of a pending timer up to date with its handle, whose `_ms` may then change. O(log n). */
  settle(unit: number, handle: Handle): void {
    if (handle._order >= 0) this.fileFor(unit, this.takePostponed(unit, handle))
  }

  private hostOrigin(): number {
    if (Number.isNaN(this.origin)) {
      this.origin = Math.round(this.host.now() - this.readClock() * this.tick)
    }
    return this.origin
  }

  /** When a pending timer is due, in ticks on the scale that does not wrap. The epoch has just been opened, at `now`. */
  private dueOf(unit: number, now: number): number {
    const handle = this.postponedHandle(unit)
    const tick = handle === undefined ? this.words[(unit << 2) + DEADLINE]! : this.postponedDeadline(handle)
    return this.far.get(unit) ?? Math.floor(now) + ((tick - (Math.floor(now) | 0)) | 0)
  }

  /** Reads the clock afresh. */
  readClock(): number {
    this.openEpoch()
    return this.reals[NOW]!
  }

  /** The id of a started timer. */
  private idOf(unit: number): number {
    const block = unit >>> BLOCK_SHIFT
    const number = this.ids.numberOf(block)
    return this.ids.idOf(number, unit, this.words[(unit << 2) + GENERATION]!)
  }

  /** Makes sure that the record which `start` takes next can have an id. @throws RangeError where no ids are left */
  private prepareId(): void {
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
    this.reportsErrors = host.reportsErrors()
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) {
      this.openEpoch()
      // In steps, where the process was stopped for weeks: ticks further apart cannot be compared.
      this.advanced = Math.min(Math.floor(this.reals[NOW]!), this.advanced + MAX_STEP)
      this.target = this.advanced | 0
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
        if (this.reportsErrors) {
          this.runReporting(unit)
        } else {
          this.run(unit)
          if (this.stopped) return false
          drain?.()
        }
        if (this.stopped) return false
      }
      if (this.words[UNFINISHED] === 0) return this.reals[NOW]! - this.advanced > MAX_LAG
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
      if (words[record + DEADLINE] === NEVER) continue
      const handle = this.postponedHandle(unit)
      const due = this.dueOf(unit, now)
      const page = this.pages[unit >>> BLOCK_SHIFT]!
      const i = (unit & RECORD_MASK) << 1
      left.push({
        occupant: page[i] as Occupant,
        argument: page[i + 1],
        unit,
        remaining: (due - now) * this.tick,
        due: Math.ceil(due),
        order: handle?._order ?? words[record + ORDER_NUMBER]!,
      })
    }
    left.sort((a, b) => a.due - b.due || a.order - b.order)
    for (const { unit } of left) this.release(unit, false)
    words[REFERENCED] = 0
    words[UNREFERENCED] = 0
    this.free = 0
    this.used = this.capacity
    this.next = words[EXPIRED]!
    this.ids.release()
    this.backend.idle()
    this.backend.close()
    return left
  }

  // ---- records ----------------------------------------------------------------------------------------------------

  private take(occupant: Occupant): number {
    let unit = this.free
    if (unit === 0) unit = this.takeFresh()
    else this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    this.pages[unit >>> BLOCK_SHIFT]![(unit & RECORD_MASK) << 1] = occupant
    return unit
  }

  private count(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    const { words } = this
    words[counter] = words[counter]! + 1
    if (words[HELD]! < (counter === REFERENCED ? 2 : 1)) this.backend.hold()
  }

  private takeFresh(): number {
    if (this.used === this.capacity) {
      // So that no other check for it is needed, a stopped wheel is full.
      if (this.stopped) throw wheelStopped()
      this.grow()
    }
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

  /** Gives a record the next order number. `note`: how to adjust it when the epoch closes, see native/core/layout.h. */
  private touch(unit: number, note: number): void {
    const { words, order } = this
    this.order = order + 1
    words[order - this.epochEnd + TOUCHED_END] = note
    words[(unit << 2) + ORDER_NUMBER] = order
  }

  /** Files a started timer for a tick of the scale that does not wrap, whatever time passes until the epoch closes. */
  private fileAt(unit: number, tick: number, due: number, now: number): void {
    this.forgetFar(unit)
    this.touch(unit, 0)
    if (tick - now > FARTHEST) this.setFar(unit, due)
    this.fileFor(unit, Math.min(tick, Math.floor(now + FARTHEST)) | 0)
  }

  /** Sets a record's deadline, and submits it unless it has an entry, and a wake-up, early enough for it. */
  private fileFor(unit: number, tick: number): void {
    const { words } = this
    const record = unit << 2
    const deadline = tick < 0 && tick >= FIRST_STATE ? 0 : tick
    words[record + DEADLINE] = deadline
    const filed = words[record + FILED]!
    if (filed === NONE || ((deadline - filed) | 0) < 0 || ((deadline - this.wake) | 0) < 0) {
      this.submit(unit)
    }
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
    if (submitted + 1 === SUBMISSIONS_CAPACITY) {
      this.backend.takeSubmissions()
      this.wake = words[WAKE]!
    }
  }

  // ---- the clock --------------------------------------------------------------------------------------------------

  /** Reads the clock for the next 64 operations. */
  private openEpoch(): void {
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
  private forgetEpochs(): void {
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
  private postponedHandle(unit: number): Handle | undefined {
    const occupant = this.pages[unit >>> BLOCK_SHIFT]![(unit & RECORD_MASK) << 1] as Occupant | undefined
    if (occupant === undefined || typeof occupant === 'function') return undefined
    return occupant._order < 0 ? undefined : occupant
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
    this.mode |= FAR
  }

  private forgetFar(unit: number): void {
    if (this.far.delete(unit) && this.far.size === 0) this.mode &= ~FAR
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
    this.wake = this.words[WAKE]!
    this.putOff()
    this.forgetEpochs()
  }

  /** Brings the records of postponed timers up to date, now that their former deadlines have expired. */
  private putOff(): void {
    const { words } = this
    const count = words[EXPIRED]!
    if (count === 0) return
    const before = this.order
    // The log knows closed epochs only.
    if (this.lastPostponed >= this.epoch) this.openEpoch()
    // Where order numbers have begun anew, what was postponed has been taken over already, and stands where it was due.
    let isPast = this.order < before
    // The tick that is being expired, where it did not fit into the expirations: they end with its first timers.
    const tick = words[TICK]!
    const last = words[EXPIRATIONS + count - 1]! << 2
    const lastOrder = words[last + DEADLINE] === tick ? words[last + ORDER_NUMBER]! : -1
    for (let i = 0; i < count; i++) {
      const unit = words[EXPIRATIONS + i]!
      const handle = this.postponedHandle(unit)
      if (handle === undefined) continue
      const due = this.takePostponed(unit, handle)
      const ahead = (due - tick) | 0
      if (ahead > 0 || (ahead === 0 && words[(unit << 2) + ORDER_NUMBER]! > lastOrder)) {
        words[EXPIRATIONS + i] = 0
        this.fileFor(unit, due)
      } else {
        // The wheel is past that place already: what expires is late.
        words[(unit << 2) + DEADLINE] = due
        isPast = true
      }
    }
    if (isPast) this.sortExpirations()
  }

  /** Takes over what a handle says of its timer. Returns the deadline, for the record. */
  private takePostponed(unit: number, handle: Handle): number {
    if (handle._order >= this.epoch) this.openEpoch()
    // Order numbers may just have begun anew.
    if (handle._order < 0) return this.words[(unit << 2) + DEADLINE]!
    const deadline = this.postponedDeadline(handle)
    this.words[(unit << 2) + ORDER_NUMBER] = handle._order
    handle._order = NOT_POSTPONED
    return deadline
  }

  private postponedDeadline(handle: Handle): number {
    const tick = (this.log.tickOf(handle._order) + handle._ms) | 0
    return tick < 0 && tick >= FIRST_STATE ? 0 : tick
  }

  /** Puts what has expired in the order of deadlines and order numbers again. */
  private sortExpirations(): void {
    const { words } = this
    const units = words.subarray(EXPIRATIONS, EXPIRATIONS + words[EXPIRED]!)
    const sorted = Array.from(units)
      .filter((unit) => unit !== 0)
      .sort((a, b) => {
        const later = (words[(a << 2) + DEADLINE]! - words[(b << 2) + DEADLINE]!) | 0
        return later || words[(a << 2) + ORDER_NUMBER]! - words[(b << 2) + ORDER_NUMBER]!
      })
    units.fill(0)
    units.set(sorted)
  }

  /** An earlier callback may have cancelled the timer or put it off, or its record may serve another by now. */
  private isDue(unit: number): boolean {
    if (unit === 0) return false
    const handle = this.postponedHandle(unit)
    if (handle !== undefined) {
      // By an earlier callback: due after this pass.
      this.fileFor(unit, this.takePostponed(unit, handle))
      return false
    }
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER || ((this.target - deadline) | 0) < 0) return false
    if (this.far.size === 0) return true
    const due = this.far.get(unit)
    if (due === undefined || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true
    this.approach(unit, due)
    return false
  }

  /**
   * Runs a timer and what it has queued. What that throws is reported here, so that the next timer follows at once, and
   * what is still queued after it: as it is where an exception leaves `dispatch`, which is called again.
   */
  private runReporting(unit: number): void {
    const { host } = this
    this.hasReported = false
    try {
      this.run(unit)
      if (!this.stopped && !this.hasReported) host.drain?.()
    } catch (error) {
      if (!host.report(error)) throw error
    }
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
