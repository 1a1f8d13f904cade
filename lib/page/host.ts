/** The functions that a wheel uses from a page or a worker, captured on load because test tools replace them later. */
import { openSteps, type Steps } from './drivers/message-tasks.js'

/** The globals. Each can be missing: in workers, in workerd, in Jest's environments. */
export type Globals = Partial<typeof globalThis>

/** A timer of the page: a number, although Node's types declare an object. */
export type HostTimer = ReturnType<typeof setTimeout>

export interface PageHost extends Steps {
  /** Milliseconds on the monotonic clock. */
  readonly _now: () => number
  readonly _setTimeout: (callback: () => void, delay: number) => HostTimer
  readonly _clearTimeout: (timer: HostTimer | number | string | undefined) => void
  /** Whether the page is hidden, and so throttles timers. */
  readonly _isHidden: () => boolean | undefined
  /** Called when the page wakes from a sleep, in which its timers can have stopped. */
  readonly _sleepers: Set<() => void>
}

/** A monotonic clock in milliseconds for a host without `performance`: the time of day that never goes back. */
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
  // Called as plain functions, because a page refuses another `this`.
  const { setTimeout, clearTimeout } = globals as typeof globalThis
  const now = performance?.now?.bind(performance) ?? monotonic(Date.now)
  const sleepers = new Set<() => void>()
  if (document) {
    const wake = (): void => {
      for (const callback of sleepers) callback()
    }
    // The page is shown again, is thawed, or comes out of the back/forward cache.
    document.addEventListener('visibilitychange', wake)
    document.addEventListener('resume', wake)
    globals.addEventListener?.('pageshow', wake)
  }
  return {
    _now: now,
    _setTimeout: (callback, delay) => setTimeout(callback, delay),
    _clearTimeout: (timer) => clearTimeout(timer as HostTimer),
    // In a page, such timers would be clamped to 4 ms after some turns. But only environments that imitate a page lack channels.
    ...openSteps(MessageChannel, now, (callback) => {
      setTimeout(callback, 0)
    }),
    _isHidden: () => document?.hidden,
    _sleepers: sleepers,
  }
}
