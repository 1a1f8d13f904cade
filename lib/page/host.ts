/** What the package takes from a page or a worker: captured once, when the module loads, as test tools replace it later. */
import { openSteps, type Steps, stepsBy } from './drivers/message-tasks.js'

/** The globals, any of which may be missing: workers, workerd, Jest's environments. */
export type Globals = Partial<typeof globalThis>

/** A timer of the page: a number, where the types of Node say an object. */
export type HostTimer = ReturnType<typeof setTimeout>

export interface PageHost extends Steps {
  /** Milliseconds on the monotonic clock. */
  readonly _now: () => number
  readonly _setTimeout: (callback: () => void, delay: number) => HostTimer
  readonly _clearTimeout: (timer: HostTimer | number | string | undefined) => void
  /** The page is hidden: it throttles timers. */
  readonly _isHidden: () => boolean | undefined
  /** Who waits for the page to wake from a sleep in which its timers may have stood still. */
  readonly _sleepers: Set<() => void>
}

/** Milliseconds that never go back, where there is no `performance`: the time of day, whose steps back are left out. */
export function monotonic(timeOfDay: () => number): () => number {
  let last = timeOfDay()
  let lost = 0
  return () => {
    const time = timeOfDay()
    if (time < last) lost += last - time
    last = time
    return time + lost
  }
}

export function pageHostOf(globals: Globals): PageHost {
  const { performance, document, MessageChannel } = globals
  // Called as functions: with another `this` a page refuses.
  const { setTimeout, clearTimeout } = globals as typeof globalThis
  const now = performance ? performance.now.bind(performance) : monotonic(Date.now)
  const sleepers = new Set<() => void>()
  if (document) {
    const wake = (): void => {
      for (const callback of [...sleepers]) callback()
    }
    // It is shown again, is thawed, or comes out of the back/forward cache.
    document.addEventListener('visibilitychange', wake)
    document.addEventListener('resume', wake)
    globals.addEventListener?.('pageshow', wake)
  }
  return {
    _now: now,
    _setTimeout: (callback, delay) => setTimeout(callback, delay),
    _clearTimeout: (timer) => clearTimeout(timer as HostTimer),
    ...(MessageChannel
      ? openSteps(MessageChannel, now)
      : // Clamped to 4 ms after some turns; only environments that imitate a page have nothing better.
        stepsBy(now, (callback) => {
          setTimeout(callback, 0)
        })),
    _isHidden: () => document?.hidden,
    _sleepers: sleepers,
  }
}
