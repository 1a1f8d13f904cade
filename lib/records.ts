/**
 * The records of one wheel: taken, given their occupants, counted, and submitted when they need an entry in the wheel.
 * The lowest layer of the scheduler. Its layers are classes that extend each other, so that it is one object: a call or
 * a field in another object would cost a load on every path of a few nanoseconds.
 */
import type { Backend, Client, OpenBackend } from './backend.js'
import { wheelFull, wheelStopped } from './errors.js'
import {
  BASE_BLOCKS,
  BLOCK_SHIFT,
  DEADLINE,
  FILED,
  FIRST_STATE,
  HELD,
  INEXACT,
  NONE,
  ORDER_NUMBER,
  QUEUED,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  SUBMISSIONS,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  UNREFERENCED,
  unitOfRecord,
  WAKE,
} from './memory.js'
import type { Occupant } from './occupants.js'

export abstract class Records implements Client {
  readonly backend: Backend
  stopped = false

  protected words: Int32Array
  protected reals: Float64Array
  /** Whom each record is for, by block. */
  protected readonly pages: (Occupant | undefined)[][] = []
  /** The arguments of occupants that have one, by block: a block has none while none of its records has. */
  protected readonly argumentPages: (unknown[] | undefined)[] = []
  /** The most recently freed record, or 0; each free record names the next. */
  protected free = 0
  /** How many records were ever taken, and how many there are. */
  protected used = 0
  protected capacity = RECORDS_PER_BLOCK
  /** `WAKE` as it stands while the epoch is open: what changes it without this object's doing closes the epoch. */
  protected wake = 0

  /** `open` is given an object whose upper layers are not made yet: it keeps the client, and calls it later. */
  constructor(open: OpenBackend, tick: number) {
    this.backend = open(tick, this)
    this.words = this.backend.core.words
    this.reals = this.backend.core.reals
  }

  // For the backend, from the layers above.
  abstract epochEnd: number
  abstract isUndrained: boolean
  abstract dispatch(): boolean

  /** How many pending timers keep the event loop alive. */
  get referenced(): number {
    return this.words[REFERENCED]!
  }

  get pending(): number {
    return this.words[REFERENCED]! + this.words[UNREFERENCED]!
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

  /** Whom a started timer is for. */
  occupantOf(unit: number): Occupant | undefined {
    return this.pages[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** Takes a record for `occupant`: the kept one, if it is not 0. */
  protected take(occupant: Occupant, kept: number): number {
    let unit = kept
    if (unit === 0) {
      unit = this.free
      if (unit === 0) unit = this.takeFresh()
      else this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    }
    this.pages[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = occupant
    return unit
  }

  /** Keeps the record that has just been released from other timers: its own is set again later. */
  keepReleased(): number {
    const unit = this.free
    this.free = this.words[(unit << 2) | ORDER_NUMBER]!
    return unit
  }

  /** Frees a record that was kept. */
  giveUp(unit: number): void {
    // A stopped wheel has none to take.
    if (this.stopped) return
    this.words[(unit << 2) | ORDER_NUMBER] = this.free
    this.free = unit
  }

  protected count(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    const { words } = this
    words[counter] = words[counter]! + 1
    if (words[HELD]! < (counter === REFERENCED ? 2 : 1)) this.backend.hold()
  }

  protected takeFresh(): number {
    if (this.used === this.capacity) {
      // So that no other check for it is needed, a stopped wheel is full.
      if (this.stopped) throw wheelStopped()
      this.grow()
    }
    const unit = unitOfRecord(this.used++)
    const block = unit >>> BLOCK_SHIFT
    if (this.pages[block] === undefined) {
      this.pages[block] = new Array(RECORDS_PER_BLOCK)
      this.argumentPages[block] = undefined
    }
    this.words[(unit << 2) + FILED] = NONE
    return unit
  }

  protected grow(): void {
    const { core } = this.backend
    if (!core.grow()) throw wheelFull(this.pending)
    this.words = core.words
    this.reals = core.reals
    const blocks = Math.floor(core.words.length / (4 << BLOCK_SHIFT)) - BASE_BLOCKS
    this.capacity = blocks * RECORDS_PER_BLOCK
  }

  /** Sets a record's deadline; when in its last tick the timer is due is not known. */
  protected fileFor(unit: number, tick: number): void {
    this.words[INEXACT] = 1
    this.fileExactly(unit, tick)
  }

  /**
   * Sets a record's deadline, and submits it unless it has an entry, and a wake-up, early enough for it. An entry at the
   * very deadline was for another time of its last tick.
   */
  protected fileExactly(unit: number, tick: number): void {
    const { words } = this
    const record = unit << 2
    const deadline = tick < 0 && tick >= FIRST_STATE ? 0 : tick
    words[record + DEADLINE] = deadline
    const filed = words[record + FILED]!
    if (filed === NONE || ((deadline - filed) | 0) <= 0 || ((deadline - this.wake) | 0) < 0) {
      this.submit(unit)
    }
  }

  /** Submits a record: it has no entry, or no wake-up, early enough for its deadline. */
  protected submit(unit: number): void {
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
}
