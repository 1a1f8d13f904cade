/** The rare work with records: taking one for the first time, and going through all that are in use. */
import { wheelFull, wheelStopped } from '../../common/errors.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEADLINE, FILED, NEVER, NONE, RECORDS_PER_BLOCK, unitOfRecord,
} from '../../memory/layout.js'
import { type GroupRecord, isGroup } from './timer-target.js'
import type { Timers } from './timers.js'

/** Prepares the next record that was never taken, and returns its unit. The record stays free until the commit. */
export function prepareFresh(timers: Timers): number {
  if (timers.stopped) throw wheelStopped()
  timers.restoreViews()
  if (timers.used === timers.capacity) grow(timers)
  const { targets, targetArguments } = timers
  const unit = unitOfRecord(timers.used)
  const block = unit >>> BLOCK_SHIFT
  while (targetArguments.length <= block) targetArguments.push(undefined)
  if (targets[block] === undefined) targets[block] = new Array(RECORDS_PER_BLOCK)
  timers.words[(unit << 2) + FILED] = NONE
  return unit
}

function grow(timers: Timers): void {
  const { core } = timers.backend
  // If this operation is interrupted, the next one opens an epoch and so restores the views.
  const { epochEnd } = timers
  timers.epochEnd = 0
  if (!core.grow(timers)) throw wheelFull(timers.pending)
  timers.capacity = core.blocks * RECORDS_PER_BLOCK
  timers.epochEnd = epochEnd
}

/** The records of all pending timers. */
export function* pendingUnits(timers: Timers): Generator<number, void> {
  for (let n = 0; n < timers.used; n++) {
    const unit = unitOfRecord(n)
    if (timers.words[(unit << 2) + DEADLINE] !== NEVER) yield unit
  }
}

/** The groups that have members. */
export function* groupsOf(timers: Timers): Generator<GroupRecord, void> {
  for (const unit of pendingUnits(timers)) {
    const target = timers.targetOf(unit)
    if (target !== undefined && isGroup(target)) yield target
  }
}
