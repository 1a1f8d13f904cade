/** The option `maxPending` in a page. It has its own file, because the shared wheel has no limit. */
import { wheelLimit } from '../common/errors.js'
import type { Scheduler } from './scheduler-types.js'

/**
 * Makes a scheduler refuse timers beyond a limit, before it stores anything.
 *
 * @param pending returns the number of pending timers
 */
export function limit(scheduler: Scheduler, pending: () => number, maxPending: number, name: string): void {
  const { _schedule, _cancel, _endDue } = scheduler
  /** The record of the interval whose callback runs, or 0. It keeps its place, although it does not count as pending. */
  let kept = 0
  const checkRoom = () => {
    if (pending() + (kept && 1) >= maxPending) throw wheelLimit(maxPending, name)
  }
  scheduler._checkRoom = checkRoom
  scheduler._schedule = (unit, ...rest) => {
    if (!unit) checkRoom()
    if (unit === kept) kept = 0
    return _schedule(unit, ...rest)
  }
  scheduler._cancel = (unit) => {
    if (unit === kept) kept = 0
    _cancel(unit)
  }
  scheduler._endDue = (unit, repeats) => {
    _endDue(unit, repeats)
    kept = repeats ? unit : 0
  }
}
