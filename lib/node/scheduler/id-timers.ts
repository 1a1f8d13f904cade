/**
 * Timers without a handle: those of `schedule`, which have an id, and those of promises, which cannot be cancelled.
 *
 * **Deferred reschedule.** `reschedule` of many timers at random would wait for the record's cache line in each call: a
 * store to a missed line holds up the loads behind it. So a call only reads the record to check the id, and writes a note,
 * always to the same few cache lines. The misses of several calls then overlap. The core writes the records when the epoch
 * closes. Code that reads deadlines closes the epoch first.
 */
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEFERRED, DEFERRED_NOTE, DELAYS, FARTHEST, GENERATION, ORDER_NUMBER, RECORD_MASK, RECORDS_PER_BLOCK,
  TOUCHED,
} from '../../memory/layout.js'
import { TOUCHED_END } from './deadlines.js'
import { USUAL } from './far-deadlines.js'
import { GENERATION_STEP, GENERATIONS, IdSpace, NOTED_GENERATIONS, PLACE_MASK } from './id-space.js'
import { LazyRefresh } from './lazy-refresh.js'
import type { Callback } from './timer-target.js'

export abstract class IdTimers extends LazyRefresh {
  readonly ids = new IdSpace()

  /**
   * Schedules a timer that runs `callback(argument)` and returns its id. O(1).
   *
   * @param slack milliseconds; undefined: that of the wheel
   * @throws RangeError if no ids are left
   */
  scheduleId(callback: Callback, argument: unknown, ms: number, slack?: number): number {
    const next = this.free === 0 ? this.prepareFresh() : this.free
    const block = next >>> BLOCK_SHIFT
    const place = this.ids.places[block] || this.claimPlace(block)
    if (argument !== undefined) this.targetArguments[block] ??= new Array(RECORDS_PER_BLOCK)
    const unit =
      slack === undefined ? this.schedule(0, callback, ms) : this.scheduleWithin(callback, ms, slack)

    const { words } = this
    if (argument !== undefined) this.targetArguments[block]![unit & RECORD_MASK] = argument
    const generation = words[(unit << 2) | GENERATION]! + 1
    words[(unit << 2) | GENERATION] = generation
    return generation * GENERATION_STEP + (place | (unit & RECORD_MASK))
  }

  /** Schedules a timer that runs `callback(argument)` and has neither an id nor a handle. O(1). */
  scheduleUnnamed(callback: Callback, argument: unknown, ms: number): void {
    const block = (this.free === 0 ? this.prepareFresh() : this.free) >>> BLOCK_SHIFT
    if (argument !== undefined) this.targetArguments[block] ??= new Array(RECORDS_PER_BLOCK)
    const unit = this.schedule(0, callback, ms)
    if (argument !== undefined) this.targetArguments[block]![unit & RECORD_MASK] = argument
  }

  /** Ends a timer without an id or a handle, which is about to run. */
  endUnnamed(unit: number): void {
    this.cancel(unit, true)
    const block = this.targetArguments[unit >>> BLOCK_SHIFT]
    if (block !== undefined) block[unit & RECORD_MASK] = undefined
  }

  /** Ends a timer with an id. No later timer has the same id. O(1). */
  cancelId(unit: number, referenced = true): void {
    const { words } = this
    const generation = words[(unit << 2) + GENERATION]! + 1
    if ((generation & (NOTED_GENERATIONS - 1)) === 0) this.ids.saw(generation)
    this.cancel(unit, referenced)

    words[(unit << 2) + GENERATION] = generation
    const block = this.targetArguments[unit >>> BLOCK_SHIFT]
    if (block !== undefined) block[unit & RECORD_MASK] = undefined
    // The ids of this record are used up, so the record is not used again.
    if (generation === GENERATIONS) this.free = words[(unit << 2) + ORDER_NUMBER]!
  }

  /** Returns the id of a pending timer; 0: it has none. */
  idOf(unit: number): number {
    const generation = this.words[(unit << 2) + GENERATION]!
    if ((generation & 1) === 0) return 0
    return generation * GENERATION_STEP + (this.ids.places[unit >>> BLOCK_SHIFT]! | (unit & RECORD_MASK))
  }

  /** Returns the record of a pending timer's id; 0: the id is stale, of another wheel, or was never given. */
  unitOfId(id: number): number {
    // The last comparison checks the whole id, because the id can be any number.
    const place = id & PLACE_MASK
    const unit = this.ids.unitAt(place)
    if ((unit & RECORD_MASK) >= RECORDS_PER_BLOCK) return 0
    const generation = this.words[(unit << 2) | GENERATION]!
    if ((generation & 1) !== 0 && generation * GENERATION_STEP + place === id) return unit
    return this.restoreViews() ? this.unitOfId(id) : 0
  }

  /**
   * Notes a new delay for a pending timer's id; see the top of the file. O(1). Everything is in this one short function, so
   * that the processor sees several calls at a time.
   *
   * @param id a whole number
   * @param ms a whole number
   * @returns false: the operation cannot be deferred, or there is no such timer
   */
  rescheduleDeferred(id: number, ms: number): boolean {
    const { order, epochEnd } = this
    if (order >= epochEnd || ms <= 0 || ms > this.longestDeferrable) return false
    // As in `unitOfId`.
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

  override openShared(): void {
    this.longestDeferrable = 0
    super.openShared()
    if (this.mode === USUAL && !this.isRunning())
      this.longestDeferrable = Math.min(this.longestDelay, FARTHEST)
  }

  /** Writes all deferred delays into their records. No operation of this epoch is deferred after that. */
  commitDeferred(): void {
    if (this.words[DEFERRED] !== 0) this.openShared()
    this.longestDeferrable = 0
  }

  argumentOf(unit: number): unknown {
    return this.targetArguments[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
  }

  /** Claims a number for the ids of a block, whose records continue its generations. @throws RangeError if none is left */
  private claimPlace(block: number): number {
    const { ids } = this
    const claim = ids.prepare()
    this.restoreViews()
    for (let i = 0; i < RECORDS_PER_BLOCK; i++) {
      this.words[(((block << BLOCK_SHIFT) + i) << 2) + GENERATION] = claim.generation
    }
    return ids.commit(claim, block)
  }
}
