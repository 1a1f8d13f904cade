/** Makes the `setTimeout` family of an entry for pages, on the shared wheel. */
import type { PageTimeout } from '../api/timeout.js'
import type { SetLongTimeout, Timers } from '../api/timers.js'
import type { PendingTimer } from '../api/wheel.js'
import { checkCallback, checkLongDelay, checkSharedOptions } from '../common/checks.js'
import { DEFAULT_BUDGET, DEFAULT_TICK, ONCE, REPEATS } from '../common/constants.js'
import type { Kernel } from '../kernel/kernel.js'
import type { OpenCore } from '../memory/core.js'
import type { TimerKernel } from '../wheel/countdown.js'
import { noStats, pendingTimersOf, statsOf } from '../wheel/looks.js'
import type { Limits, Wheel } from '../wheel/wheel.js'
import { drive } from './event-loop.js'
import type { PageHost } from './host.js'
import { clear, Timeout, type TimeoutCallback } from './timeout.js'

/** The shared wheel. */
export interface Shared extends Limits {
  /** Undefined until the wheel is first needed, so that an import of the package costs no memory. */
  _kernel?: Kernel
}

export const sharedWheel = (): Shared => ({ _budget: DEFAULT_BUDGET, _overruns: 0 })

/** Returns the function that opens the shared wheel if it is not open. */
export function sharedOn(host: PageHost, openCore: OpenCore, shared: Shared): () => Kernel {
  return () => (shared._kernel ??= drive(openCore, host, { tick: DEFAULT_TICK, unref: false }, shared))
}

/** The shared wheel for the features above the kernel. */
export const wheelOn = (_kernel: Kernel, _limits: Limits, { _lag }: PageHost): Wheel => ({
  _kernel,
  _limits,
  _name: '',
  _lag,
})

/** Makes `configure` of the shared wheel. */
export function configureOn(shared: Shared): Timers['configure'] {
  return function configure(options) {
    shared._budget = checkSharedOptions(options, shared._budget)
  }
}

/** Makes `stats` of the shared wheel, which does not open the wheel. */
export function statsOn(shared: Shared, host: PageHost): Timers['stats'] {
  return function stats() {
    return shared._kernel ? statsOf(wheelOn(shared._kernel, shared, host)) : noStats()
  }
}

/** Makes `pendingTimers` of the shared wheel, which does not open the wheel. */
export const pendingTimersOn = (shared: Shared, host: PageHost) => (): PendingTimer[] =>
  shared._kernel ? pendingTimersOf(wheelOn(shared._kernel, shared, host)) : []

/** The arguments of a call from the third on. With rest parameters, each call would make an array. */
const argumentsOf = (all: IArguments): unknown[] | undefined =>
  all.length > 2 ? [].slice.call(all, 2) : undefined

// biome-ignore-start lint/complexity/noArguments: see above

export type Family = Pick<Timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>

export function familyOn(open: () => TimerKernel, host: PageHost): Family {
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
export const setLongTimeoutOn = (open: () => TimerKernel): SetLongTimeout<PageTimeout> =>
  function setLongTimeout(callback: TimeoutCallback, delay?: number, ...args: unknown[]) {
    checkCallback(callback)
    const ms = checkLongDelay(delay)
    return new Timeout(open(), callback, ms >= 1 ? Math.trunc(ms) : 1, ONCE, args, true)
  } as unknown as SetLongTimeout<PageTimeout>
