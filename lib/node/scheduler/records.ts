/**
 * The records of one wheel, their targets and their counts: the lowest layer of the scheduler (see scheduler.ts).
 *
 * **Interruptions.** A stack overflow, a `vm` timeout or the end of a worker can interrupt any call, also of built-in
 * functions such as `Math.ceil`, and any turn of a loop, but not the straight code between them. So each operation has three parts:
 *
 *   prepare   calls the functions that can fail: reads the clock, makes room. Changes nothing that other operations use.
 *   commit    writes all that belongs together, without a call. Only its first step may call a function, if that one calls no other.
 *   settle    calls functions whose work the next turn would do as well.
 *
 * The compiled core repairs its own state after an interruption: see native/core/timer_wheel.h.
 */
import { wheelFull, wheelStopped } from '../../common/errors.js'
import type { Views } from '../../memory/core.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, FILED, HELD, KEEPS_LOOP_ALIVE, NONE, RECORD_MASK, RECORDS_PER_BLOCK, REFERENCED, RETAINED,
  SPARE, SUBMISSIONS_CAPACITY, SUBMITTED, UNREFERENCED, unitOfRecord, WAKE,
} from '../../memory/layout.js'
import type { Backend, Client, OpenBackend } from '../drivers/backend.js'
import type { MemberPool } from '../group/member-pool.js'
import type { TimerTarget } from './timer-target.js'

export abstract class Records implements Client, Views {
  readonly backend: Backend
  stopped = false

  words: Int32Array
  reals: Float64Array
  /** The target of each record, by block. */
  readonly targets: (TimerTarget | undefined)[][] = []
  /** The argument of each target, by block; a block is undefined while none of its targets has an argument. */
  readonly targetArguments: (unknown[] | undefined)[] = []
  /** The most recently freed record, or 0; each free record names the next. */
  free = 0
  /** The number of records that were ever taken, and the number that exist. */
  used = 0
  capacity = RECORDS_PER_BLOCK
  /** The members of all groups of this wheel; undefined if it never had a group. */
  pool: MemberPool | undefined
  /** The number of members that were added to groups, and of those that were removed: see totals.ts. */
  added = 0
  removed = 0
  /** The number of records that groups have. */
  groups = 0
  /** The value of `WAKE` while the epoch is open. Other code that changes `WAKE` closes the epoch. */
  wake = 0

  /** `open` gets this object before the upper layers are initialised. It stores the object, and calls it later. */
  constructor(open: OpenBackend, tick: number) {
    this.backend = open(tick, this)
    this.words = this.backend.core.words
    this.reals = this.backend.core.reals
  }

  // The part of `Client` that upper layers implement.
  abstract epochEnd: number
  abstract isUndrained: boolean
  abstract dispatch(): boolean
  abstract recover(): void
  abstract trim(): void

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

  /** Prepares the next record that was never taken, and returns its unit. The record stays free until the commit. */
  prepareFresh(): number {
    if (this.stopped) throw wheelStopped()
    this.restoreViews()
    if (this.used === this.capacity) this.grow()
    const unit = unitOfRecord(this.used)
    const block = unit >>> BLOCK_SHIFT
    while (this.targetArguments.length <= block) this.targetArguments.push(undefined)
    if (this.targets[block] === undefined) this.targets[block] = new Array(RECORDS_PER_BLOCK)
    this.words[(unit << 2) + FILED] = NONE
    return unit
  }

  grow(): void {
    const { core } = this.backend
    // If this operation is interrupted, the next one opens an epoch and so restores the views.
    const { epochEnd } = this
    this.epochEnd = 0
    if (!core.grow(this)) throw wheelFull(this.pending)
    this.capacity = core.blocks * RECORDS_PER_BLOCK
    this.words[SPARE] = 1
    this.epochEnd = epochEnd
  }

  /** Prepares for a new timer of `counter`. */
  prepareHold(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    const held = counter === REFERENCED ? KEEPS_LOOP_ALIVE : RETAINED
    if (this.words[HELD]! >= held) return
    this.restoreViews()
    if (this.words[HELD]! < held) this.backend.hold(held)
  }

  /** Whether expired timers are running. Then deadlines are read between any two operations. */
  abstract isRunning(): boolean

  /**
   * Prepares for the end of a timer of `counter`, which can be the last one. After a slice the driver looks by itself, and most
   * callbacks of a last timer set the next one.
   */
  prepareLast(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    this.restoreViews()
    if (counter === REFERENCED && this.words[REFERENCED] === 1 && !this.isRunning()) this.backend.idle()
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
    if (!this.restoreViews() || this.words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) this.backend.takeSubmissions()
    this.wake = this.words[WAKE]!
  }
}
