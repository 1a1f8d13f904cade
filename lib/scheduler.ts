/**
 * One wheel's timers on the JavaScript side, whole: those with ids, the running of what expires, and the end. What is
 * below has a file for each layer: filing.ts sets and releases, epochs.ts tells time and order, records.ts has the memory.
 */
import type { OpenBackend } from './backend.js'
import { MAX_LAG, MAX_STEP } from './epochs.js'
import { Filing } from './filing.js'
import type { Host } from './host.js'
import { GENERATION_STEP, GENERATIONS, IdSpace, NOTED_GENERATIONS, PLACE_MASK } from './ids.js'
import {
  ARMED,
  BLOCK_SHIFT,
  DEADLINE,
  EXPIRATIONS,
  EXPIRED,
  GENERATION,
  NEVER,
  NOW,
  ORDER_NUMBER,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  TICK,
  UNFINISHED,
  UNREFERENCED,
  unitOfRecord,
  WAKE,
} from './memory.js'
import type { Callback, Occupant } from './occupants.js'

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

  private readonly budget: number
  /** The next of the expirations to run. */
  private next = 0
  /** The tick up to which the expirations are due: `advanced`, wrapped. */
  private target = 0
  /** Whether any of the expirations has an argument. */
  private hasArguments = false
  /** What has expired is not to run before its tick has ended. */
  private isHeldBack = false
  /** Whether what callbacks throw is to be reported where it is thrown; and whether the last of them has been. */
  reportsErrors = false
  hasReported = false
  /** A callback has run, and what it has queued has not. */
  isUndrained = false

  constructor(open: OpenBackend, host: Host, tick: number, budget: number) {
    super(open, host, tick)
    this.budget = budget
  }

  /** Starts a timer that runs `callback(argument)` and has an id. O(1). @throws RangeError where no ids are left */
  startId(callback: Callback, argument: unknown, ms: number): number {
    const place = this.ids.places[this.free >>> BLOCK_SHIFT] || this.claimPlace()
    const unit = this.arm(0, callback, ms)
    if (argument !== undefined) this.keepArgument(unit, argument)
    const { words } = this
    const generation = words[(unit << 2) | GENERATION]! + 1
    words[(unit << 2) | GENERATION] = generation
    return generation * GENERATION_STEP + (place | (unit & RECORD_MASK))
  }

  /** Starts a timer that runs `callback(argument)` and can only expire: it has neither an id nor a handle. O(1). */
  startNameless(callback: Callback, argument: unknown, ms: number): void {
    const unit = this.arm(0, callback, ms)
    if (argument !== undefined) this.keepArgument(unit, argument)
  }

  private releaseNameless(unit: number): void {
    const page = this.argumentPages[unit >>> BLOCK_SHIFT]
    if (page !== undefined) page[unit & RECORD_MASK] = undefined
    this.release(unit, true)
  }

  /** Ends a timer that has an id: no later use of its record will have the same. O(1). */
  releaseId(unit: number): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    words[(unit << 2) + GENERATION] = generation
    if ((generation & (NOTED_GENERATIONS - 1)) === 0) this.ids.saw(generation)
    const page = this.argumentPages[unit >>> BLOCK_SHIFT]
    if (page !== undefined) page[unit & RECORD_MASK] = undefined
    this.release(unit, true)
    // The ids of this record are used up, and it with them.
    if (generation === GENERATIONS) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  /** The record of a pending timer's id, or 0: the id is stale, or another wheel's, or none. */
  unitOfId(id: number): number {
    // Of whatever number this is: the whole is compared below.
    const place = id & PLACE_MASK
    const unit = this.ids.unitAt(place)
    const generation = this.words[(unit << 2) | GENERATION]!
    return (generation & 1) !== 0 && generation * GENERATION_STEP + place === id ? unit : 0
  }

  private keepArgument(unit: number, argument: unknown): void {
    const block = unit >>> BLOCK_SHIFT
    let page = this.argumentPages[block]
    if (page === undefined) {
      page = new Array(RECORDS_PER_BLOCK)
      this.argumentPages[block] = page
    }
    page[unit & RECORD_MASK] = argument
  }

  private argumentOf(unit: number): unknown {
    return this.argumentPages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** The place of the block that the next record will be taken of, claimed if need be. @throws RangeError: no ids are left */
  private claimPlace(): number {
    if (this.free === 0 && this.used === this.capacity) this.grow()
    const unit = this.free === 0 ? unitOfRecord(this.used) : this.free
    const block = unit >>> BLOCK_SHIFT
    const { places } = this.ids
    if (places[block]) return places[block]
    const base = this.ids.claim(block)
    for (let i = 0; i < RECORDS_PER_BLOCK && base !== 0; i++) {
      const at = (((block << BLOCK_SHIFT) + i) << 2) + GENERATION
      this.words[at] = this.words[at]! + base
    }
    return places[block]!
  }

  /**
   * Runs what is due, for at most the budget of time. Throws what a callback throws; to be called again for the rest.
   *
   * What a callback has queued runs before the next callback. What the last one has queued is left to the driver's host,
   * which runs it with no frame of ours below: V8 keeps ten frames, and async stack traces need them for the program. For
   * the same reason `drain` is called here and nowhere deeper, and no error passes through a `catch`, which would take the
   * place of the line that threw it.
   *
   * @returns whether something due was left
   */
  dispatch(): boolean {
    const words = this.words
    const { host } = this
    const { drain } = host
    const started = host.now()
    this.reportsErrors = host.reportsErrors()
    this.isUndrained = false
    let ran = 0
    let checkAt = 1
    if (this.next >= words[EXPIRED]!) {
      this.openEpoch()
      // In steps, where the process was stopped for weeks: ticks further apart cannot be compared.
      this.advanced = Math.max(this.advanced, Math.min(this.backend.dueTick(), this.advanced + MAX_STEP))
      this.target = this.advanced | 0
      this.expire()
    }
    for (;;) {
      if (this.isHeldBack) return this.waitForTarget()
      while (this.next < this.words[EXPIRED]!) {
        const unit = this.words[EXPIRATIONS + this.next]!
        // Before the queues: they are left to the host if nothing else is due.
        if (!this.isPending(unit)) {
          this.next++
          continue
        }
        if (ran === checkAt) {
          const elapsed = host.now() - started
          const left = this.budget - elapsed
          if (left <= 0) return true
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
        }
        this.next++
        if (!this.isDue(unit)) continue
        ran++
        if (this.reportsErrors) {
          this.runReporting(unit)
        } else {
          this.isUndrained = true
          this.run(unit)
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
      left.push({
        occupant: this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]!,
        argument: this.argumentOf(unit),
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
    this.argumentPages.length = 0
    this.free = 0
    this.used = this.capacity
    this.next = words[EXPIRED]!
    this.ids.release()
    this.backend.idle()
    this.backend.close()
    return left
  }

  // ---- expiry -----------------------------------------------------------------------------------------------------

  private expire(): void {
    this.next = 0
    this.backend.advance(this.target)
    this.wake = this.words[WAKE]!
    this.putOff()
    this.forgetEpochs()
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
    // The log knows closed epochs only.
    if (this.lastPostponed >= this.epoch) this.openEpoch()
    // Where order numbers have begun anew, what was postponed has been taken over already, and stands where it was due.
    let isPast = this.order < before
    // The tick that is being expired, where it did not fit into the expirations: they end with its first timers.
    const tick = words[TICK]!
    const last = words[EXPIRATIONS + count - 1]! << 2
    const lastOrder = words[last + DEADLINE] === tick ? words[last + ORDER_NUMBER]! : -1
    let hasArguments = false
    const isBeforeTarget = this.advanced > this.reals[NOW]!
    for (let i = 0; i < count; i++) {
      const unit = words[EXPIRATIONS + i]!
      const handle = this.postponedHandle(unit)
      if (handle === undefined) {
        // Among a million timers each is a cache miss: here many are under way at a time, between callbacks one.
        if (this.argumentOf(unit) !== undefined) hasArguments = true
        continue
      }
      const due = this.takePostponed(unit, handle)
      // Set and postponed within one tick: the wheel, which takes it for due, knows nothing of the second.
      if (isBeforeTarget && due === this.target) this.isHeldBack = true
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
    units.fill(0)
    units.set(sorted)
  }

  /** Whether one of the expirations is still for a timer: reads only. */
  private isPending(unit: number): boolean {
    return unit !== 0 && this.words[(unit << 2) + DEADLINE] !== NEVER
  }

  /** An earlier callback may have cancelled the timer or put it off, or its record may serve another by now. */
  private isDue(unit: number): boolean {
    const handle = this.postponedHandle(unit)
    if (handle !== undefined) {
      // By an earlier callback: due after this pass.
      this.fileFor(unit, this.takePostponed(unit, handle))
      return false
    }
    const deadline = this.words[(unit << 2) + DEADLINE]!
    if (deadline === NEVER) return false
    if (((this.target - deadline) | 0) < 0) {
      // Put off by an earlier callback. Or the process was stopped for weeks and the timer set before the wheel was moved
      // again, from which its deadline was too far: it has lost its entry.
      this.fileFor(unit, deadline)
      return false
    }
    if (this.far.size === 0) return true
    const due = this.far.get(unit)
    if (due === undefined || Math.ceil(due) <= Math.floor(this.reals[NOW]!)) return true
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
      occupant(argument)
    } else {
      occupant.expire()
    }
  }
}
