/** Delays that `schedule` does not add to the clock itself: far ones, and those that are no whole number of ticks. */
import { firstTick } from '../../common/ticks.js'
import { EPOCH_LENGTH, FARTHEST, FRACTION, INEXACT, LEAST_SLACK, NOW } from '../../memory/layout.js'
import { LAGS } from './far-deadlines.js'
import type { Records } from './records.js'

/** The largest rounding error, in ticks, for which a deadline is corrected: at times after 2^47 ticks errors are larger. */
const LARGEST_ERROR = 2 ** -4

/** Prepares the deadline of a timer, and returns it. Writes `unusualNote`. Last, commits a far due time. */
export function prepareUnusual(timers: Records, unit: number, ms: number): number {
  const { reals, isExact, error } = timers
  const delay = timers.ticksOf(ms)
  const ticks = Math.max(Math.floor(delay), 1)
  let fraction = delay - ticks
  // Lower, so that a rounding error of the sum with `NOW` does not add a tick.
  if (fraction !== 0) fraction -= Math.min((reals[NOW]! + delay) * error, LARGEST_ERROR)
  const first = firstTick(reals[NOW]!, fraction)
  const isFar = delay > FARTHEST || (timers.mode & LAGS) !== 0
  let due = first + ticks
  let stage = due
  if (!isExact && !isFar && due > timers.advanced) {
    const slack = first - (reals[NOW]! + fraction)
    if (slack < reals[LEAST_SLACK]!) reals[LEAST_SLACK] = slack
    reals[FRACTION + EPOCH_LENGTH + timers.order - timers.epochEnd] = fraction
    timers.unusualNote = ~unit
  } else {
    // The due time is final. If the tick was expired before its end, the timer is due in the next tick.
    due = Math.max(firstTick(timers.finalNow(), fraction) + ticks, timers.advanced + 1)
    stage = timers.far.stageOf(unit, due)
    timers.unusualNote = 0
  }
  if (fraction !== 0) timers.words[INEXACT] = 1
  timers.far.commit(unit, stage === due ? 0 : due)
  return stage | 0
}
