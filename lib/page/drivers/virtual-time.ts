/** Virtual time: a wheel that runs only when it is told how much time has passed. */

import { checkEndOfTime, endless, insideCallback } from '../../common/errors.js'
import { FOREVER } from '../forever.js'
import { type OpenCore, openScheduler, type Scheduler } from '../scheduler.js'

/**
 * Lets time pass until `end` milliseconds, or for Infinity until nothing is pending or `limit` callbacks have run and there
 * are still timers: then it throws. It stops at each deadline on the way so that callbacks see the time they are due at.
 * Where a callback throws, time stands at its deadline, and the rest is left for the next call.
 */
export type RunTo = (ms: number, limit: number) => void

export function openManual(openCore: OpenCore, tick: number): { _scheduler: Scheduler; _run: RunTo } {
  /** Virtual time, in milliseconds. */
  let now = 0
  let isRunning = false
  /** A callback threw before all that is due had run. */
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
