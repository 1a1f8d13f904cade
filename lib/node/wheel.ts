/** The class `TimerWheel` on Node. It checks arguments and calls the scheduler. */

import type { TimerGroup, TimerGroupOptions } from '../api/group.js'
import type { TimeoutSignal, TimeoutSignalOptions } from '../api/signal.js'
import type { WheelStats } from '../api/stats.js'
import type { Timeout } from '../api/timeout.js'
import type { TimersPromises } from '../api/timers-promises.js'
import type { PendingTimer, TimerWheelConstructor, TimerWheelOptions } from '../api/wheel.js'
import {
  checkAdvance,
  checkCallback,
  checkDelay,
  checkId,
  checkLimit,
  checkOptions,
  checkSetOptions,
} from '../common/checks.js'
import { DEFAULT_LIMIT } from '../common/defaults.js'
import { disposeSymbol } from '../common/dispose.js'
import { notManual, wheelStopped } from '../common/errors.js'
import { FOREVER } from '../common/forever.js'
import { CLEAR, type Clearable, HANDLE_BRAND } from '../common/handle-brand.js'
import { timeoutsOf } from './configured-timeouts.js'
import type { VirtualTimeBackend } from './drivers/virtual-time.js'
import { ExactDelay, withOptions } from './handles/delay.js'
import { timeoutClass } from './handles/handle.js'
import { clearOther } from './handles/numbers.js'
import { ONCE, REPEATS, type TimeoutConstructor, type WheelTimeout } from './handles/state.js'
import { onDemand } from './on-demand/load.js'
import { openScheduler, openVirtualTimeScheduler, type Platform } from './open-scheduler.js'
import { promisesOn } from './promises.js'
import { clear, close, stop } from './scheduler/ending.js'
import { rescheduleDeferred, unitOfId } from './scheduler/id-timers.js'
import { pendingTimersOf, statsOf } from './scheduler/looks.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { SCHEDULER } from './scheduler-of.js'
import { publishOpen } from './sight/channels.js'

const { isInteger } = Number
const inspect = Symbol.for('nodejs.util.inspect.custom')

const rescheduleNow = (scheduler: Scheduler, id: number, delay: number): boolean => {
  checkId(id)
  checkDelay(delay)
  const unit = unitOfId(scheduler, id)
  if (unit === 0) return false
  scheduler.schedule(unit, undefined, delay)
  return true
}

/** The class of wheels that run on `platform`. */
export function timerWheelClass(platform: Platform): TimerWheelConstructor {
  const { host } = platform
  /** The classes of handles, with and without an async context. Most programs need only one. */
  const made = new Map<boolean, TimeoutConstructor>()
  const timeoutsWith = (asyncContext: boolean): TimeoutConstructor => {
    const Timeout = made.get(asyncContext) ?? timeoutClass(host, asyncContext)
    made.set(asyncContext, Timeout)
    return Timeout
  }
  class TimerWheel {
    readonly #scheduler: Scheduler
    readonly #Timeout: TimeoutConstructor
    /** Whether its handles and signals have an async context. */
    readonly #hasContext: boolean
    #manual: VirtualTimeBackend | undefined
    #promises: TimersPromises | undefined
    /** Reject the pending promises. */
    readonly #aborts = new Set<() => void>()
    /** The timers that `stop` is about to return. */
    #left: PendingTimer[] = []

    constructor(options?: TimerWheelOptions) {
      const checked = checkOptions(options)
      if (checked.driver === 'manual') {
        this.#scheduler = openVirtualTimeScheduler(platform, checked)
        this.#manual = this.#scheduler.backend as VirtualTimeBackend
      } else {
        this.#scheduler = openScheduler(platform.openBackend, host, checked)
      }
      this.#hasContext = checked.asyncContext
      this.#Timeout = timeoutsOf(this.#scheduler, timeoutsWith(checked.asyncContext))
      publishOpen(checked.name, () => statsOf(this.#scheduler))
    }

    // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
    setTimeout(callback: (...args: never[]) => unknown, delay?: unknown): Timeout {
      if (arguments.length > 2 || typeof delay === 'object') {
        return this.#setTimeoutWith.apply(this, arguments as never)
      }
      return new this.#Timeout(callback, delay, ONCE, undefined, this.#scheduler)
    }
    // biome-ignore-end lint/complexity/noArguments: see above

    #setTimeoutWith(callback: (...args: never[]) => unknown, delay: unknown, ...args: unknown[]): Timeout {
      return this.#set(callback, delay, ONCE, args)
    }

    setInterval(callback: (...args: never[]) => unknown, delay?: unknown, ...args: unknown[]): Timeout {
      return this.#set(callback, delay, REPEATS, args)
    }

    /** Sets a timer. The delay can be options. */
    #set(
      callback: (...args: never[]) => unknown,
      delay: unknown,
      state: typeof ONCE | typeof REPEATS,
      all: unknown[],
    ): Timeout {
      const args = all.length === 0 ? undefined : all
      const options = checkSetOptions(delay, state)
      if (options === undefined) return new this.#Timeout(callback, delay, state, args, this.#scheduler)
      const exact = new ExactDelay(options.delay)
      // Made first, because its code is loaded at the first use.
      const steady = options.drift ? undefined : onDemand().steadyRuns()
      const given = steady === undefined ? args : [0, ...all]
      const timeout = new this.#Timeout(callback, exact, state, given, this.#scheduler)
      return withOptions(timeout, options.delay, steady)
    }

    clearTimeout(timeout: unknown): void {
      if ((timeout as Clearable | undefined)?.[HANDLE_BRAND] === undefined) clearOther(timeout, host)
      else (timeout as Clearable)[CLEAR] = true
    }

    // Needs no wheel either.
    clearInterval(timeout: unknown): void {
      TimerWheel.prototype.clearTimeout(timeout)
    }

    schedule(callback: (argument: never) => unknown, delay: number, argument?: unknown): number {
      const scheduler = this.#scheduler
      checkCallback(callback)
      checkDelay(delay)
      if (scheduler.stopped) throw wheelStopped()
      return scheduler.scheduleId(callback as (argument: unknown) => unknown, argument, delay)
    }

    cancel(id: number): boolean {
      const scheduler = this.#scheduler
      checkId(id)
      const unit = unitOfId(scheduler, id)
      if (unit === 0) return false
      scheduler.cancelId(unit)
      return true
    }

    reschedule(id: number, delay: number): boolean {
      const scheduler = this.#scheduler
      // All ids are whole numbers. The deferred operation takes only whole delays.
      if (isInteger(id) && isInteger(delay) && rescheduleDeferred(scheduler, id, delay)) return true
      return rescheduleNow(scheduler, id, delay)
    }

    get [SCHEDULER](): Scheduler {
      return this.#scheduler
    }

    get name(): string {
      return this.#scheduler.name
    }

    signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal {
      return onDemand().openSignal(host, () => this.#scheduler, delay, options, this.#hasContext)
    }

    group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T> {
      const scheduler = this.#scheduler
      const open = () => {
        if (scheduler.stopped) throw wheelStopped()
        return scheduler
      }
      return onDemand().openGroup(open, onExpire, delay, options)
    }

    get now(): number {
      return this.#manual?.time ?? this.#scheduler.now() * this.#scheduler.tick
    }

    pendingTimers(): PendingTimer[] {
      return pendingTimersOf(this.#scheduler)
    }

    get pending(): number {
      return this.#scheduler.pending
    }

    stats(): WheelStats {
      return statsOf(this.#scheduler)
    }

    /** One line for `util.inspect` and `console.log`. A prototype, or another object that is no wheel, stays as it is. */
    [inspect](): unknown {
      if (!(#scheduler in this)) return this
      const { name, pending, tick, stopped } = this.#scheduler
      const named = name === '' ? '' : `name: ${JSON.stringify(name)}, `
      const driver = this.#manual === undefined ? 'host' : 'manual'
      const end = stopped ? ', stopped' : ''
      return `TimerWheel { ${named}pending: ${pending}, tick: ${tick}, driver: '${driver}'${end} }`
    }

    get promises(): TimersPromises {
      this.#promises ??= promisesOn(host, this.#Timeout, this.#scheduler, this.#aborts)
      return this.#promises
    }

    clear(): number {
      const count = clear(this.#scheduler)
      for (const abort of this.#aborts) abort()
      return count
    }

    [disposeSymbol](): void {
      this.stop()
    }

    stop(): PendingTimer[] {
      const scheduler = this.#scheduler
      // Their timers are not returned: the promises are over.
      for (const abort of this.#aborts) abort()
      if (!scheduler.stopped) {
        this.#left = pendingTimersOf(scheduler)
        stop(scheduler)
      }
      const left = this.#left
      // If this is interrupted, the next call does the rest, and returns the timers.
      for (const { timeout } of left) (timeout as WheelTimeout | undefined)?.detach()
      close(scheduler)
      this.#left = []
      return left
    }

    advance(ms: number): void {
      const manual = this.#manual
      if (manual === undefined) throw notManual('advance')
      checkAdvance(ms)
      manual.run(ms, FOREVER)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      const manual = this.#manual
      if (manual === undefined) throw notManual('runAll')
      checkLimit(limit)
      manual.run(FOREVER, this.pending + limit)
    }
  }
  return TimerWheel as unknown as TimerWheelConstructor
}
