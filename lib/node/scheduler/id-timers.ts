/**
 * Timers without a handle: those of `schedule`, which have an id, and those of promises, which cannot be cancelled. `scheduleId` and
 * `cancelId` are methods in scheduler.ts, because wheels with options override them.
 *
 *   id = generation * 2^26 + unit of the record
 *
 * The generation of a record is odd while a timer with an id uses the record. Otherwise it is even, also while a handle uses
 * the record. So this one word decides whether an id is valid.
 *
 * **Deferred reschedule.** `reschedule` of many timers at random would wait for the record's cache line in each call: a
 * store to a missed line holds up the loads behind it. So a call only reads the record to check the id, and writes a note,
 * always to the same few cache lines. The misses of several calls then overlap. The core writes the records when the epoch
 * closes. Code that reads deadlines closes the epoch first.
 */
// biome-ignore format: a list of words
import {
  DEFERRED, DEFERRED_NOTE, DELAYS, EPOCH_LENGTH, FIRST_UNIT, GENERATION, RECORD_MASK, RECORDS_PER_BLOCK, TOUCHED,
} from '../../memory/layout.js'
import type { Timers } from './timers.js'

/** The end of `TOUCHED`. */
const TOUCHED_END = TOUCHED + EPOCH_LENGTH

const UNIT_MASK = 2 ** 26 - 1
export const PER_GENERATION = 2 ** 26
/** A record with this generation is not used again, because its ids are used up. */
export const GENERATIONS = 2 ** 27

/** Returns the record of a pending timer's id; 0: the id is stale, or was never given. */
export function unitOfId(timers: Timers, id: number): number {
  timers.restoreViews()
  // The id can be any number, so the last comparison checks all of it.
  const unit = id & UNIT_MASK
  if (timers.stopped || unit < FIRST_UNIT || (unit & RECORD_MASK) >= RECORDS_PER_BLOCK) return 0
  const generation = timers.words[(unit << 2) | GENERATION]!
  return (generation & 1) !== 0 && generation * PER_GENERATION + unit === id ? unit : 0
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
  const unit = id & UNIT_MASK
  if (unit < FIRST_UNIT || (unit & RECORD_MASK) >= RECORDS_PER_BLOCK) return false
  const { words } = timers
  const generation = words[(unit << 2) | GENERATION]!
  if ((generation & 1) === 0 || generation * PER_GENERATION + unit !== id) return false

  const note = (order - epochEnd + TOUCHED_END) | 0
  words[note] = unit | DEFERRED_NOTE
  words[note + (DELAYS - TOUCHED)] = ms
  words[DEFERRED] = 1
  timers.order = (order + 1) | 0
  return true
}
