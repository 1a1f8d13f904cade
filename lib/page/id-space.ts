/**
 * The ids of `schedule` in a page: uses of the record * 2^32 + 2^31 + unit of the record. Bit 31 keeps ids apart from the page's
 * timers: see `nextNumber` in timeout.ts.
 */
import { GENERATION } from '../memory/layout.js'
import type { Scheduler } from './scheduler-types.js'

const UNIT_MASK = 2 ** 26 - 1

/** Returns the id of a pending timer. */
export function idOf(scheduler: Scheduler, unit: number): number {
  return scheduler._words()[(unit << 2) | GENERATION]! * 2 ** 32 + 2 ** 31 + unit
}

/** Returns the record of a pending timer's id; 0: the id is stale, or was never given. */
export function unitOfId(scheduler: Scheduler, id: number): number {
  const unit = id & UNIT_MASK
  // The target of a pending timer with an id is a function. The id can be any number, so the last comparison checks all of it.
  return typeof scheduler._targetOf(unit) === 'function' && idOf(scheduler, unit) === id ? unit : 0
}
