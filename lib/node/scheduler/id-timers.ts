/**
 * Timers without a handle: those of `schedule`, which have an id, and those of promises, which cannot be cancelled. `scheduleId` and
 * `cancelId` are methods in scheduler.ts, because wheels with options override them.
 *
 * **Deferred reschedule.** `reschedule` of many timers at random would wait for the record's cache line in each call: a
 * store to a missed line holds up the loads behind it. So a call only reads the record to check the id, and writes a note,
 * always to the same few cache lines. The misses of several calls then overlap. The core writes the records when the epoch
 * closes. Code that reads deadlines closes the epoch first.
 */
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEFERRED, DEFERRED_NOTE, DELAYS, EPOCH_LENGTH, GENERATION, RECORD_MASK, RECORDS_PER_BLOCK,
  TOUCHED,
} from '../../memory/layout.js'
import { LOCATOR_MASK, PER_GENERATION } from './id-space.js'
import type { Timers } from './timers.js'

/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH

/** Returns the id of a pending timer; 0: it has none. */
export function idOf(timers: Timers, unit: number): number {
  const generation = timers.words[(unit << 2) + GENERATION]!
  if ((generation & 1) === 0) return 0
  return generation * PER_GENERATION + (timers.ids.locators[unit >>> BLOCK_SHIFT]! | (unit & RECORD_MASK))
}

/** Returns the record of a pending timer's id; 0: the id is stale, of another wheel, or was never given. */
export function unitOfId(timers: Timers, id: number): number {
  // The last comparison checks the whole id, because the id can be any number.
  const locator = id & LOCATOR_MASK
  const unit = timers.ids.unitAt(locator)
  if ((unit & RECORD_MASK) >= RECORDS_PER_BLOCK) return 0
  const generation = timers.words[(unit << 2) | GENERATION]!
  if ((generation & 1) !== 0 && generation * PER_GENERATION + locator === id) return unit
  return timers.restoreViews() ? unitOfId(timers, id) : 0
}

/**
 * Writes a note with a new delay for a pending timer's id; see the top of the file. O(1). Everything is in this one short function, so
 * that the processor sees several calls at a time.
 *
 * @param id a whole number
 * @param ms a whole number
 * @returns false: the operation cannot be deferred, or there is no such timer
 */
export function rescheduleDeferred(timers: Timers, id: number, ms: number): boolean {
  const { order, epochEnd } = timers
  if (order >= epochEnd || ms <= 0 || ms > timers.longestDeferrable) return false
  // As in `unitOfId`.
  const { firstUnits } = timers.ids
  const locator = id & LOCATOR_MASK
  const first = firstUnits[locator >>> BLOCK_SHIFT]
  const n = locator & RECORD_MASK
  if (!first || n >= RECORDS_PER_BLOCK) return false
  const unit = first | n
  const { words } = timers
  const generation = words[(unit << 2) | GENERATION]!
  if ((generation & 1) === 0 || generation * PER_GENERATION + locator !== id) return false

  const note = (order - epochEnd + TOUCHED_END) | 0
  words[note] = unit | DEFERRED_NOTE
  words[note + (DELAYS - TOUCHED)] = ms
  words[DEFERRED] = 1
  timers.order = (order + 1) | 0
  return true
}

/** Claims a number for the ids of a block, whose records continue its generations. @throws RangeError if none is left */
export function claimLocator(timers: Timers, block: number): number {
  const { ids } = timers
  const claim = ids.prepare()
  timers.restoreViews()
  for (let i = 0; i < RECORDS_PER_BLOCK; i++) {
    timers.words[(((block << BLOCK_SHIFT) + i) << 2) + GENERATION] = claim.generation
  }
  return ids.commit(claim, block)
}
