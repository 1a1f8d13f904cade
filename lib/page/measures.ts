/** The option `measure` in a page. */
import type { WheelStats } from '../api/stats.js'
import { openLateness } from '../common/lateness.js'
import { nameOf } from '../common/name-of.js'
import type { Scheduler } from './scheduler-types.js'

export type Measures = () => Pick<WheelStats, 'lateness' | 'slowest'>

/**
 * Makes a scheduler measure its callbacks. It calls each of them between `_endDue` or `_watch` and the end of `_step`.
 *
 * @param now milliseconds on the clock of the page
 */
export function measuresOf(scheduler: Scheduler, now: () => number): Measures {
  const { _endDue, _step } = scheduler
  const lateness = openLateness()
  let slowest: WheelStats['slowest']
  let started = 0
  /** What runs. */
  let callback: unknown
  scheduler._watch = (watched, due) => {
    lateness._add(Math.max(scheduler._readClock() - Math.ceil(due), 0) * scheduler._tick!)
    callback = watched
    started = now()
  }
  scheduler._endDue = (unit, repeats) => {
    const target = scheduler._targetOf(unit)!
    scheduler._watch!(typeof target === 'object' ? target._callback : target, scheduler._due(unit))
    _endDue(unit, repeats)
  }
  scheduler._step = () => {
    try {
      return _step()
    } finally {
      const duration = now() - started
      if (callback && !(slowest && slowest.duration >= duration))
        slowest = { name: nameOf(callback), duration }
      callback = undefined
    }
  }
  return () => ({ lateness: lateness._read(), ...(slowest && { slowest: { ...slowest } }) })
}
