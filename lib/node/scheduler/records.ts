/**
 * The records of one wheel: taken, given their targets, counted, and submitted when they need an entry in the wheel.
 * The lowest layer of the scheduler. Its layers are classes that extend each other, so that it is one object: a call or
 * a field in another object would cost a load on every path of a few nanoseconds.
 *
 * **Interruptions.** The stack can end, a `vm` timeout can strike and a worker can be terminated at any call and at any
 * turn of a loop, but not in straight code between them. So each operation has three parts:
 *
 *   prepare   calls what can fail: reads the clock, makes room. Changes nothing that another operation could miss.
 *   commit    writes all that belongs together, without a call. If it needs a function, that is called first, and makes
 *             no call itself.
 *   settle    calls what the next turn would do as well.
 *
 * What the compiled core does is repaired by the core: see native/core/timer_wheel.h.
 */

import { wheelFull, wheelStopped } from '../../common/errors.js'
import type { Views } from '../../memory/core.js'
import {
  BLOCK_SHIFT,
  FILED,
  HELD,
  KEEPS_LOOP_ALIVE,
  NONE,
  RECORD_MASK,
  RECORDS_PER_BLOCK,
  REFERENCED,
  RETAINED,
  SPARE,
  SUBMISSIONS_CAPACITY,
  SUBMITTED,
  UNREFERENCED,
  unitOfRecord,
  WAKE,
} from '../../memory/layout.js'
import type { Backend, Client, OpenBackend } from '../drivers/backend.js'
import type { TimerTarget } from './timer-target.js'

export abstract class Records implements Client, Views {
  readonly backend: Backend
  stopped = false

  words: Int32Array
  reals: Float64Array
  /** What each record runs, by block. */
  protected readonly targets: (TimerTarget | undefined)[][] = []
  /** The arguments of targets that have one, by block: a block has none while none of its records has. */
  protected readonly targetArguments: (unknown[] | undefined)[] = []
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
  abstract recover(): void
  abstract trim(): void

  /** How many pending timers keep the event loop alive. */
  get referenced(): number {
    this.restoreViews()
    return this.words[REFERENCED]!
  }

  get pending(): number {
    this.restoreViews()
    return this.stopped ? 0 : this.words[REFERENCED]! + this.words[UNREFERENCED]!
  }

  /** A pending timer keeps the event loop alive from now on. */
  reference(): void {
    this.prepareHold(REFERENCED)
    const { words } = this
    words[UNREFERENCED] = words[UNREFERENCED]! - 1
    words[REFERENCED] = words[REFERENCED]! + 1
  }

  /** A pending timer no longer does. */
  unreference(): void {
    if (!(this.words[REFERENCED]! > 1)) this.prepareLast(REFERENCED)
    const { words } = this
    words[REFERENCED] = words[REFERENCED]! - 1
    words[UNREFERENCED] = words[UNREFERENCED]! + 1
  }

  /** What a started timer's record runs. */
  targetOf(unit: number): TimerTarget | undefined {
    return this.targets[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** The next record that was never taken, ready to be: it stays free until it is committed. */
  protected prepareFresh(): number {
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

  protected grow(): void {
    const { core } = this.backend
    // The next operation opens an epoch if this one is interrupted, and restores the views.
    const { epochEnd } = this
    this.epochEnd = 0
    if (!core.grow(this)) throw wheelFull(this.pending)
    this.capacity = core.blocks * RECORDS_PER_BLOCK
    this.words[SPARE] = 1
    this.epochEnd = epochEnd
  }

  /** Prepares for a timer that counts as one of `counter`. */
  protected prepareHold(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    const held = counter === REFERENCED ? KEEPS_LOOP_ALIVE : RETAINED
    if (this.words[HELD]! >= held) return
    this.restoreViews()
    if (this.words[HELD]! < held) this.backend.hold(held)
  }

  /** Prepares for the end of a timer, perhaps the last of those that count as one of `counter`. */
  protected prepareLast(counter: typeof REFERENCED | typeof UNREFERENCED): void {
    this.restoreViews()
    if (counter === REFERENCED && this.words[REFERENCED] === 1) this.backend.idle()
  }

  /**
   * Makes up for a growth that was interrupted after it had detached the views: what is read through such a view is
   * undefined, and what is written is lost. So no operation may commit before it has called this, or has found a number
   * where it read. Returns whether it was needed.
   */
  protected restoreViews(): boolean {
    if (this.words.length !== 0) return false
    // Both, or none.
    const { words, reals } = this.backend.core
    this.words = words
    this.reals = reals
    return true
  }

  /** Makes room for a submission. */
  protected makeRoom(): void {
    if (this.words[SUBMITTED]! < SUBMISSIONS_CAPACITY) return
    if (!this.restoreViews() || this.words[SUBMITTED]! >= SUBMISSIONS_CAPACITY) this.backend.takeSubmissions()
    this.wake = this.words[WAKE]!
  }
}
