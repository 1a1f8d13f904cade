/** Makes the `setTimeout` family of an entry for pages, on the shared wheel. */
import type { WheelStats } from '../api/stats.js'
import type { PageTimeout } from '../api/timeout.js'
import type { SetLongTimeout, Timers } from '../api/timers.js'
import { checkCallback, checkLongDelay, checkSharedOptions } from '../common/checks.js'
import { DEFAULT_BUDGET, DEFAULT_TICK } from '../common/constants.js'
import { noStats } from '../common/measures.js'
import { ONCE, REPEATS } from './constants.js'
import { drive } from './event-loop.js'
import type { PageHost } from './host.js'
import type { Limits } from './message-tasks.js'
import type { OpenCore, Scheduler, TimerScheduler } from './scheduler-types.js'
import { clear, Timeout, type TimeoutCallback } from './timeout.js'

/** The shared wheel. */
export interface Shared extends Limits {
  /** Undefined until the wheel is first needed, so that an import of the package costs no memory. */
  _scheduler?: Scheduler
}

export const sharedWheel = (): Shared => ({ _budget: DEFAULT_BUDGET, _overruns: 0 })

/** Returns the function that opens the shared wheel if it is not open. */
export function sharedOn(host: PageHost, openCore: OpenCore, shared: Shared): () => Scheduler {
  return () => (shared._scheduler ??= drive(openCore, host, DEFAULT_TICK, shared))
}

/** Makes `configure` of the shared wheel. */
export function configureOn(shared: Shared): Timers['configure'] {
  return function configure(options) {
    shared._budget = checkSharedOptions(options, shared._budget)
  }
}

export function statsOf(scheduler: Scheduler, limits: Limits): WheelStats {
  const { _set, _ran } = scheduler
  return {
    pending: scheduler._pending(),
    scheduled: _set,
    fired: _ran,
    cancelled: _set + scheduler._again - _ran - scheduler._taken(),
    overruns: limits._overruns,
    // A stopped wheel has no memory.
    bytes: scheduler._words().byteLength ?? 0,
  }
}

/** Makes `stats` of the shared wheel, which does not open the wheel. */
export function statsOn(shared: Shared): () => WheelStats {
  return function stats() {
    return shared._scheduler ? statsOf(shared._scheduler, shared) : noStats()
  }
}

/** The arguments of a call from the third on. With rest parameters, each call would make an array. */
const argumentsOf = (all: IArguments): unknown[] | undefined =>
  all.length > 2 ? [].slice.call(all, 2) : undefined

// biome-ignore-start lint/complexity/noArguments: see above

export type Family = Pick<Timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>

export function familyOn(open: () => TimerScheduler, host: PageHost): Family {
  const family = {
    setTimeout(callback: TimeoutCallback, delay?: number) {
      return new Timeout(open(), callback, delay, ONCE, argumentsOf(arguments))
    },
    setInterval(callback: TimeoutCallback, delay?: number) {
      return new Timeout(open(), callback, delay, REPEATS, argumentsOf(arguments))
    },
    clearTimeout(timeout: unknown) {
      clear(timeout, host)
    },
    // Another function, as in Node: some programs wrap or compare them.
    clearInterval(timeout: unknown) {
      clear(timeout, host)
    },
  }
  return family as unknown as Family
}
// biome-ignore-end lint/complexity/noArguments: see above

/** Makes `setLongTimeout`. */
export const setLongTimeoutOn = (open: () => TimerScheduler): SetLongTimeout<PageTimeout> =>
  function setLongTimeout(callback: TimeoutCallback, delay?: number, ...args: unknown[]) {
    checkCallback(callback)
    const ms = checkLongDelay(delay)
    return new Timeout(open(), callback, ms >= 1 ? Math.trunc(ms) : 1, ONCE, args, true)
  } as unknown as SetLongTimeout<PageTimeout>
