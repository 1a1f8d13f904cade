/**
 * One wheel's timers on the JavaScript side, whole: those with ids, the running of what expires, and the end. What is
 * below has a file for each layer: filing.ts sets and releases, epochs.ts tells time and order, records.ts has the memory.
 */
import type { OpenBackend } from './backend.js'
import { MAX_LAG, MAX_STEP } from './epochs.js'
import { Filing, TOUCHED_END } from './filing.js'
import type { Host } from './host.js'
import { GENERATION_STEP, GENERATIONS, IdSpace, NOTED_GENERATIONS, PLACE_MASK } from './ids.js'
import {
  ARMED,
  BLOCK_SHIFT,
  DEADLINE,
  DEFERRED,
  DEFERRED_NOTE,
  DELAYS,
  EXPIRATIONS,
  EXPIRATIONS_CAPACITY,
  EXPIRED,
  GENERATION,
  NEVER,
  NOW,
  ORDER_NUMBER,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  SPARE,
  TICK,
  TOUCHED,
  UNFINISHED,
  UNREFERENCED,
  USED,
  WAKE,
} from './memory.js'
import { type Callback, type Handle, NOT_POSTPONED, type Occupant } from './occupants.js'
import { LATE, SliceBudget } from './slice_budget.js'

/** A timer that had not run when its wheel was stopped. */
export interface Leftover {
  occupant: Occupant
  argument: unknown
  unit: number
  /** Milliseconds until it would have been due; 0 or less: it was. */
  remaining: number
}

/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export class Scheduler extends Filing {
  readonly ids = new IdSpace()

  readonly slice: SliceBudget
  /** The next of the expirations to run. It moves on with the release of its record. */
  private next = 0
  /** The tick up to which the expirations are due: `advanced`, wrapped. */
  private target = 0
  /** Whether any of the expirations has an argument. */
  private hasArguments = false
  /** What has expired is not to run before its tick has ended. */
  private isHeldBack = false
  /** The interval whose callback is running, and its record. */
  private parked: Handle | undefined
  parkedUnit = 0
  /** Whether what callbacks throw is to be reported where it is thrown; and whether the last of them has been. */
  reportsErrors = false
  hasReported = false
  /** The handle whose callback runs. */
  running: Handle | undefined
  /** A callback has run, and what it has queued has not. */
  isUndrained = false

  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    super(open, host, tick)
    this.slice = new SliceBudget(budget)
  }

  /** Starts a timer that runs `callback(argument)` and has an id. O(1). @throws RangeError if no ids are left */
  startId(callback: Callback, argument: unknown, ms: number): number {
    const next = this.free === 0 ? this.prepareFresh() : this.free
    const block = next >>> BLOCK_SHIFT
    const place = this.ids.places[block] || this.claimPlace(block)
    if (argument !== undefined) this.argumentPages[block] ??= new Array(RECORDS_PER_BLOCK)
    const unit = this.arm(0, callback, ms)

    const { words } = this
    if (argument !== undefined) this.argumentPages[block]![unit & RECORD_MASK] = argument
    const generation = words[(unit << 2) | GENERATION]! + 1
    words[(unit << 2) | GENERATION] = generation
    return generation * GENERATION_STEP + (place | (unit & RECORD_MASK))
  }

  /** Starts a timer that runs `callback(argument)` and can only expire: it has neither an id nor a handle. O(1). */
  startNameless(callback: Callback, argument: unknown, ms: number): void {
    const block = (this.free === 0 ? this.prepareFresh() : this.free) >>> BLOCK_SHIFT
    if (argument !== undefined) this.argumentPages[block] ??= new Array(RECORDS_PER_BLOCK)
    const unit = this.arm(0, callback, ms)
    if (argument !== undefined) this.argumentPages[block]![unit & RECORD_MASK] = argument
  }

  private releaseNameless(unit: number): void {
    this.release(unit, true)
    const page = this.argumentPages[unit >>> BLOCK_SHIFT]
    if (page !== undefined) page[unit & RECORD_MASK] = undefined
  }

  /** Ends a timer that has an id: no later use of its record will have the same. O(1). */
  releaseId(unit: number): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    if ((generation & (NOTED_GENERATIONS - 1)) === 0) this.ids.saw(generation)
    this.release(unit, true)

    words[(unit << 2) + GENERATION] = generation
    const page = this.argumentPages[unit >>> BLOCK_SHIFT]
    if (page !== undefined) page[unit & RECORD_MASK] = undefined
    // The ids of this record are used up, and it with them.
    if (generation === GENERATIONS) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  /** Ends the timer that is about to run. Nothing may come between that and noting it. */
  releaseDue(unit: number, referenced: boolean): void {
    this.release(unit, referenced)
    this.next++
  }

  /** The same for an interval, which keeps its record for the next run: a wheel may be full. */
  park(unit: number, referenced: boolean, interval: Handle): void {
    this.releaseDue(unit, referenced)
    this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    this.parked = interval
    this.parkedUnit = unit
  }

  recover(): void {
    if (this.parked !== undefined) this.parked.resume()
  }

  /** Starts the next run of the interval that was parked: see {@link startAt}. */
  restart(interval: Handle, due: number, referenced: boolean): number {
    const unit = this.startAt(interval, due, referenced, this.parked === interval ? this.parkedUnit : 0)
    this.parked = undefined
    this.parkedUnit = 0
    return unit
  }

  /** Frees the record of the interval that has run, and runs no more. */
  giveUpParked(): void {
    const unit = this.parkedUnit
    this.parked = undefined
    this.parkedUnit = 0
    // A stopped wheel has none to take.
    if (this.stopped) return
    this.restoreViews()
    this.words[(unit << 2) | ORDER_NUMBER] = this.free
    this.free = unit
  }

  /** The record of a pending timer's id, or 0: the id is stale, or another wheel's, or was never given. */
  unitOfId(id: number): number {
    // Of any number: the whole is compared below.
    const place = id & PLACE_MASK
    const unit = this.ids.unitAt(place)
    if ((unit & RECORD_MASK) >= RECORDS_PER_BLOCK) return 0
    const generation = this.words[(unit << 2) | GENERATION]!
    if ((generation & 1) !== 0 && generation * GENERATION_STEP + place === id) return unit
    return this.restoreViews() ? this.unitOfId(id) : 0
  }

  /**
   * Counts a new delay for a pending timer's id, where that can be left to whoever closes the epoch. O(1).
   *
   * Over many timers the record's line is a cache miss. This writes none of it, but a note of the operation, which has
   * always the same place: what follows need not wait until it is known where a store goes, so that the misses of several
   * calls are under way at a time. For that it has to be short as well: all of it stands here. Until the epoch is closed
   * the record is as it was; all that looks at deadlines has it closed first.
   *
   * @param id a whole number
   * @param ms likewise
   * @returns false: it cannot be left, or there is no such timer
   */
  rescheduleLater(id: number, ms: number): boolean {
    const { order, epochEnd } = this
    if (order >= epochEnd || ms <= 0 || ms > this.deferrable) return false
    // What `unitOfId` does.
    const { firstUnits } = this.ids
    const place = id & PLACE_MASK
    const first = firstUnits[place >>> BLOCK_SHIFT]
    const n = place & RECORD_MASK
    if (!first || n >= RECORDS_PER_BLOCK) return false
    const unit = first | n
    const { words } = this
    const generation = words[(unit << 2) | GENERATION]!
    if ((generation & 1) === 0 || generation * GENERATION_STEP + place !== id) return false

    const note = (order - epochEnd + TOUCHED_END) | 0
    words[note] = unit | DEFERRED_NOTE
    words[note + (DELAYS - TOUCHED)] = ms
    words[DEFERRED] = 1
    this.order = (order + 1) | 0
    return true
  }

  protected isRunning(): boolean {
    return this.next < this.words[EXPIRED]!
  }

  private argumentOf(unit: number): unknown {
    return this.argumentPages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** Claims the place of a block, whose records then count their generations from there. @throws RangeError: no ids are left */
  private claimPlace(block: number): number {
    const { ids } = this
    const claim = ids.prepare()
    this.restoreViews()
    for (let i = 0; i < RECORDS_PER_BLOCK; i++) {
      this.words[(((block << BLOCK_SHIFT) + i) << 2) + GENERATION] = claim.generation
    }
    return ids.commit(claim, block)
  }

  /**
   * Runs what is due, for one slice (slice_budget.ts). Throws what a callback throws; to be called again for the rest.
   *
   * What a callback has queued runs before the next callback. What the last one has queued is left to the driver's host,
   * which runs it with no frame of ours below: V8 keeps ten frames, and async stack traces need them for the program. For
   * the same reason `drain` is called here and nowhere deeper, and no error passes through a `catch`, which would take the
   * place of the line that threw it.
   *
   * @returns whether something due was left
   */
  dispatch(): boolean {
    if (this.stopped) return false
    this.restoreViews()
    const words = this.words
    const { host } = this
    const { drain } = host
    const started = host.now()
    this.slice.begin(started, this.pending)
    this.reportsErrors = host.reportsErrors()
    this.isUndrained = false
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) {
      // By the clock of the driver, which is never ahead.
      this.settledNow()
      // In steps, where the process was stopped for weeks: ticks further apart cannot be compared.
      this.advanced = Math.max(this.advanced, Math.min(this.backend.dueTick(), this.advanced + MAX_STEP))
      this.target = this.advanced | 0
      this.expire()
    }
    for (;;) {
      if (this.isHeldBack) return this.waitForTarget()
      while (this.next < this.countExpired()) {
        const unit = this.words[EXPIRATIONS + this.next]!
        // Before the queues: they are left to the host if nothing else is due.
        if (!this.isPending(unit)) {
          this.next++
          continue
        }
        if (ran === checkAt) {
          const elapsed = host.now() - started
          const left = this.timeLeft(elapsed, started, this.words[(unit << 2) | DEADLINE]!)
          if (left <= 0) return this.endSlice(started + elapsed, ran)
          // As many as surely fit, by what they took so far.
          checkAt += Math.max(1, Math.min(LONGEST_STRIDE, (left * ran) / (4 * elapsed)) | 0)
        }
        if (this.isUndrained) {
          this.isUndrained = false
          if (this.reportsErrors) {
            try {
              drain?.()
            } catch (error) {
              if (!host.report(error)) throw error
            }
          } else {
            drain?.()
          }
          if (this.stopped) return false
          // The wheel was trimmed.
          if (this.next >= this.countExpired()) break
        }
        if (!this.isDue(unit)) {
          this.next++
          continue
        }
        ran++
        if (this.reportsErrors) {
          this.runReporting(unit)
        } else {
          this.isUndrained = true
          this.run(unit)
        }
        if (this.stopped) return false
      }
      if (this.words[UNFINISHED] === 0) return this.endPass(ran)
      const elapsed = host.now() - started
      if (this.timeLeft(elapsed, started, this.words[TICK]!) <= 0)
        return this.endSlice(started + elapsed, ran)
      this.expire()
    }
  }

  /** After a callback, which may have done anything. */
  private countExpired(): number {
    this.restoreViews()
    return this.words[EXPIRED]!
  }

  /** How many more milliseconds the slice may take. @param deadline the tick in which the next timer is due */
  private timeLeft(elapsed: number, started: number, deadline: number): number {
    const { budget, limit } = this.slice
    if (elapsed < budget || elapsed >= limit) return budget - elapsed
    return this.ticksSince(deadline, started + elapsed) * this.tick > LATE ? limit - elapsed : 0
  }

  /** How many ticks ago this one was. @param now the time on the host's clock */
  private ticksSince(tick: number, now: number): number {
    return ((Math.floor((now - this.hostOrigin()) / this.tick) | 0) - tick) | 0
  }

  private endSlice(now: number, ran: number): true {
    this.slice.end(now, ran, this.pending)
    return true
  }

  /** All has run that was due when the first slice of it began. */
  private endPass(ran: number): boolean {
    if (this.slice.isBehind) {
      const now = this.host.now()
      if (this.words[ARMED] !== 0 && this.ticksSince(this.words[WAKE]!, now) >= 0) this.endSlice(now, ran)
      else this.slice.catchUp()
    }
    return this.reals[NOW]! - this.advanced > MAX_LAG
  }

  /** Ends all timers and the backend. Returns the timers that were pending, in the order they would have run. */
  stop(): Leftover[] {
    const now = this.settledNow()
    const { words } = this
    const left = Array.from(this.pendingUnits(), (unit) => {
      const due = this.dueOf(unit, now)
      return {
        occupant: this.occupantOf(unit)!,
        argument: this.argumentOf(unit),
        unit,
        remaining: (due - now) * this.tick,
        due: Math.ceil(due),
        order: this.refreshedHandle(unit)?._order ?? words[(unit << 2) + ORDER_NUMBER]!,
      }
    })
    left.sort((a, b) => a.due - b.due || a.order - b.order)

    this.stopped = true
    words[REFERENCED] = 0
    words[UNREFERENCED] = 0
    this.free = 0
    this.next = EXPIRATIONS_CAPACITY

    this.ids.release()
    this.backend.close()
    return left
  }

  /** The driver is not told when the last timer is cleared that has no reference. */
  releasedUnreferenced(): void {
    if (this.words[SPARE] !== 0 && this.pending === 0) this.backend.idle()
  }

  /**
   * Gives back the memory that the wheel has taken since it was made, if nothing is pending. If an interval runs, its record
   * is. Handles of timers that are over name no record.
   */
  trim(): void {
    if (this.stopped || this.words[SPARE] === 0 || this.pending !== 0 || this.parkedUnit !== 0) return
    this.commitDeferred()
    // Each of these by itself does no harm while nothing is pending.
    this.ids.giveBack()
    this.forgetFar()
    this.forgetLog()
    if (!this.backend.core.renew(this.advanced, this)) return

    const { words } = this
    words[SPARE] = 0
    words[USED] = 0
    words[DEFERRED] = 0
    this.used = 0
    this.free = 0
    this.capacity = RECORDS_PER_BLOCK
    this.pages.length = 0
    this.argumentPages.length = 0
    this.next = 0
    this.isHeldBack = false
    // The next operation opens an epoch.
    this.epochEnd = 0
  }

  /** Lets go of what a stopped wheel held. */
  forget(): void {
    this.pages.length = 0
    this.argumentPages.length = 0
    this.parked = undefined
  }

  // ---- expiry -----------------------------------------------------------------------------------------------------

  private expire(): void {
    this.commitDeferred()
    // Until the core has returned there are none.
    this.next = EXPIRATIONS_CAPACITY
    // As long as it is not known better.
    this.hasArguments = true
    this.backend.advance(this.target)
    this.next = 0
    this.wake = this.words[WAKE]!
    this.putOff()
    this.forgetRefreshes()
  }

  /** Has `dispatch` called at the end of the tick that was expired before it. */
  private waitForTarget(): false {
    const { words } = this
    this.isHeldBack = false
    words[WAKE] = this.target
    words[ARMED] = 1
    this.wake = this.target
    return false
  }

  /** Brings the records of postponed timers up to date, now that their former deadlines have expired. */
  private putOff(): void {
    const { words } = this
    const count = words[EXPIRED]!
    if (count === 0) return
    const before = this.order
    this.logAll()
    // If order numbers have begun anew, what was refreshed has been filed already, and stands where it was due.
    let isPast = this.order < before
    // The tick that is being expired, if it did not fit into the expirations: they end with its first timers.
    const tick = words[TICK]!
    const last = words[EXPIRATIONS + count - 1]! << 2
    const lastOrder = words[last + DEADLINE] === tick ? words[last + ORDER_NUMBER]! : -1
    let hasArguments = false
    const isBeforeTarget = this.advanced > this.reals[NOW]!
    for (let i = 0; i < count; i++) {
      const unit = words[EXPIRATIONS + i]!
      const handle = this.refreshedHandle(unit)
      if (handle === undefined) {
        // Among a million timers each is a cache miss: here many are under way at a time, between callbacks one.
        if (this.argumentOf(unit) !== undefined) hasArguments = true
        continue
      }
      const due = this.refreshedDue(handle)
      // Set and refreshed within one tick: the wheel, which takes it for due, knows nothing of the second.
      if (isBeforeTarget && (due | 0) === this.target) this.isHeldBack = true
      const ahead = due - this.advanced > 1 ? 1 : (due - tick) | 0
      if (ahead > 0 || (ahead === 0 && handle._order > lastOrder)) {
        this.fileRefreshed(unit, handle, due)
        words[EXPIRATIONS + i] = 0
      } else {
        // The wheel is past that place already: what expires is late.
        this.expireRefreshed(unit, handle, due)
        isPast = true
      }
    }
    this.hasArguments = hasArguments
    if (isPast) this.sortExpirations()
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
    units.set(sorted)
    units.fill(0, sorted.length)
  }

  /** Commits what is known of a refreshed timer that stands in the expirations. */
  private expireRefreshed(unit: number, handle: Handle, due: number): void {
    const { words } = this
    words[(unit << 2) + DEADLINE] = due | 0
    words[(unit << 2) + ORDER_NUMBER] = handle._order
    handle._order = NOT_POSTPONED
  }

  /** Whether one of the expirations is still for a timer: reads only. */
  private isPending(unit: number): boolean {
    return unit !== 0 && this.words[(unit << 2) + DEADLINE] !== NEVER
  }

  /** An earlier callback may have cancelled the timer or put it off, or its record may serve another by now. */
  private isDue(unit: number): boolean {
    const handle = this.refreshedHandle(unit)
    if (handle !== undefined) {
      // By an earlier callback: due after this pass.
      this.settle(unit, handle)
      return false
    }
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER) return false
    if (((this.target - deadline) | 0) < 0) {
      // Put off by an earlier callback. Or the process was stopped for weeks and the timer set before the wheel was moved
      // again, from which its deadline was too far: it has lost its entry.
      this.fileAgain(unit)
      return false
    }
    if (!this.hasFar) return true
    const due = this.farDue(unit)
    if (due === 0 || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true
    this.approach(unit, due)
    return false
  }

  /**
   * Runs a timer. What it throws is reported here, so that the next timer of the same delay follows at once, and what is
   * queued after it. As with Node's timers, which are in lists by their delays: after a throw the list goes on, and what is
   * queued runs before the next list.
   */
  private runReporting(unit: number): void {
    const { host } = this
    const delay = this.delayOf(unit)
    this.hasReported = false
    try {
      this.run(unit)
    } catch (error) {
      if (!host.report(error)) throw error
      this.hasReported = true
    }
    this.isUndrained = !(this.hasReported && this.delayOfNext() === delay)
  }

  /** The delay of a timer with a handle, in milliseconds. */
  private delayOf(unit: number): number | undefined {
    const occupant = this.pages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
    return typeof occupant === 'object' ? occupant._ms : undefined
  }

  /** That of the next timer to run in this pass. */
  private delayOfNext(): number | undefined {
    const { words } = this
    for (let next = this.next; next < words[EXPIRED]!; next++) {
      const delay = this.delayOf(words[EXPIRATIONS + next]!)
      if (delay !== undefined) return delay
    }
    return undefined
  }

  private run(unit: number): void {
    const occupant = this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]!
    if (typeof occupant === 'function') {
      const argument = this.hasArguments ? this.argumentOf(unit) : undefined
      if ((this.words[(unit << 2) | GENERATION]! & 1) === 0) this.releaseNameless(unit)
      else this.releaseId(unit)
      this.next++
      occupant(argument)
    } else {
      occupant.expire()
    }
  }
}
