/**
 * Timers for a time on the clock, in ticks, instead of a delay from now: intervals, and timers whose true due time becomes
 * known later. The time can be far. The end of the epoch does not adjust it.
 */
// biome-ignore format: a list of words

import { roundIfClose } from '../../common/ticks.js'
import {
  BLOCK_SHIFT,
  INEXACT,
  NOW,
  ORDER_NUMBER,
  RECORD_MASK,
  REFERENCED,
  UNREFERENCED,
  USED,
} from '../../memory/layout.js'
import type { Handle, TimerTarget } from './timer-target.js'
import type { Timers } from './timers.js'

/**
 * Schedules a new timer. The time can have passed. O(1).
 *
 * @param delay the delay of the timer in milliseconds
 * @param kept the record that `endDueInterval` kept; 0: any free record
 * @returns the record's unit. The caller stores it before it makes any call
 */
export function scheduleAt(
  timers: Timers,
  target: TimerTarget,
  delay: number,
  due: number,
  referenced: boolean,
  kept: number,
): number {
  const counter = referenced ? REFERENCED : UNREFERENCED
  let unit = kept || timers.free
  if (unit === 0) unit = timers.prepareFresh()
  timers.prepareHold(counter)
  const nextFree = timers.words[(unit << 2) | ORDER_NUMBER]!
  if (delay > timers.longestDelay) timers.longestDelay = delay
  moveTo(timers, unit, due)

  const { words } = timers
  if (unit === timers.free) timers.free = nextFree
  else if (kept === 0) words[USED] = ++timers.used
  timers.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK] = target
  words[counter] = words[counter]! + 1
  return unit
}

/** Counts a pending timer's delay from `start`, in milliseconds on the host's clock. It runs last of its tick. O(1). */
export function setStartOf(timers: Timers, unit: number, handle: Handle, start: number): void {
  moveTo(timers, unit, timers.ticksOf(start - timers.hostOrigin() + handle._ms))
}

/** Sets the due time of a record. It runs last of its tick. */
function moveTo(timers: Timers, unit: number, time: number): void {
  if (timers.order >= timers.epochEnd) timers.openEpoch()
  timers.makeRoom()
  const now = timers.isExact ? timers.reals[NOW]! : timers.now()
  time = roundIfClose(time, timers.error)
  // Even if the time has passed, the timer does not run in the present pass.
  const due = Math.ceil(Math.max(time, timers.advanced + 1))
  const stage = timers.far.stageOf(unit, due)
  // Exact, as a delay that starts now, if the due time is no later in its tick than `now` is in the present tick.
  const part = time - Math.floor(time)
  if (!(part > 0 && part <= now - Math.floor(now))) timers.words[INEXACT] = 1
  timers.setDeadline(unit, stage, timers.order, stage === due ? 0 : due)
  timers.order++
}
