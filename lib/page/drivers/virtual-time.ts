/** The driver in virtual time: the clock of the wheel moves only in `advance` and `runAll`. */

import { checkEndOfTime, endless, insideCallback } from '../../common/errors.js'
import { FOREVER } from '../forever.js'
import { type OpenCore, openScheduler, type Scheduler } from '../scheduler.js'

/**
 * Lets `ms` milliseconds pass; Infinity: until nothing is pending. Throws if timers are left after `limit` callbacks. The
 * clock stops at each deadline, so that callbacks see the time at which they are due. If a callback throws, the clock stays
 * at its deadline, and the next call runs the rest.
 */
export type RunTo = (ms: number, limit: number) => void

export function openManual(openCore: OpenCore, tick: number): { _scheduler: Scheduler; _run: RunTo } {
  /** Virtual time, in milliseconds. */
  let now = 0
  let isRunning = false
  /** A callback threw before all due timers had run. */
  let isInterrupted = false
  const scheduler = openScheduler(
    openCore,
    tick,
    () => now,
    () => {},
  )

  return {
    _scheduler: scheduler,
    _run(ms, limit) {
      if (isRunning) throw insideCallback()
      const end = now + ms
      if (end < FOREVER) checkEndOfTime(end)
      scheduler._ran = 0
      isRunning = true
      try {
        for (;;) {
          const due = isInterrupted ? now : scheduler._stopped ? FOREVER : scheduler._nextWake()
          if (due > end || due === FOREVER) break
          const pending = scheduler._pending()
          if (scheduler._ran >= limit && pending) throw endless(limit, pending)
          now = Math.max(now, due)
          isInterrupted = true
          isInterrupted = scheduler._step()
        }
      } finally {
        isRunning = false
      }
      if (end < FOREVER && !scheduler._stopped) now = end
    },
  }
}
