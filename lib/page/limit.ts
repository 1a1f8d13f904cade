/** The option `maxPending` in a page. It has its own file, because the shared wheel has no limit. */
import { wheelLimit } from '../common/errors.js'
import type { Scheduler } from './scheduler-types.js'

/** Makes a scheduler refuse timers beyond a limit, before it stores anything. */
export function limit(scheduler: Scheduler, maxPending: number, name: string): void {
  const { _schedule } = scheduler
  scheduler._schedule = (unit, ...rest) => {
    // The interval whose callback runs keeps its room, although it does not count as pending.
    if (!unit && scheduler._taken() >= maxPending) throw wheelLimit(maxPending, name)
    return _schedule(unit, ...rest)
  }
}
