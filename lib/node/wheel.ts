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
import { notManual, wheelStopped, withoutWheel } from '../common/errors.js'
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
  /** Returns the scheduler of the wheel behind an object. Calls of a private method would be longer. @throws TypeError as `#of` */
  let schedulerBehind: (object: TimerWheel, method: string) => Scheduler

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

    /** The wheel itself: objects that inherit from a wheel and proxies of one have it too, and act on it. Not enumerable. */
    declare readonly _self: TimerWheel

    constructor(options?: TimerWheelOptions) {
      Object.defineProperty(this, '_self', { value: this })
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

    /** Returns the wheel behind an object. @throws TypeError if there is none, because `method` was called without one */
    static #of(object: TimerWheel | undefined, method: string): TimerWheel {
      const wheel = object?._self
      return wheel !== undefined && #scheduler in wheel ? wheel : withoutWheel(method)
    }

    static {
      schedulerBehind = (object, method) => TimerWheel.#of(object, method).#scheduler
    }

    // The methods that programs call most do without `#of`, which would cost half a nanosecond: `try` costs nothing.

    // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
    setTimeout(callback: (...args: never[]) => unknown, delay?: unknown): Timeout {
      let wheel: TimerWheel = this
      let scheduler: Scheduler
      try {
        scheduler = wheel.#scheduler
      } catch {
        wheel = TimerWheel.#of(this, 'setTimeout')
        scheduler = wheel.#scheduler
      }
      if (arguments.length > 2 || typeof delay === 'object') {
        return wheel.#setTimeoutWith.apply(wheel, arguments as never)
      }
      return new wheel.#Timeout(callback, delay, ONCE, undefined, scheduler)
    }
    // biome-ignore-end lint/complexity/noArguments: see above

    #setTimeoutWith(callback: (...args: never[]) => unknown, delay: unknown, ...args: unknown[]): Timeout {
      return this.#set(callback, delay, ONCE, args)
    }

    setInterval(callback: (...args: never[]) => unknown, delay?: unknown, ...args: unknown[]): Timeout {
      return TimerWheel.#of(this, 'setInterval').#set(callback, delay, REPEATS, args)
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
      let scheduler: Scheduler
      try {
        scheduler = this.#scheduler
      } catch {
        scheduler = schedulerBehind(this, 'schedule')
      }
      checkCallback(callback)
      checkDelay(delay)
      if (scheduler.stopped) throw wheelStopped()
      return scheduler.scheduleId(callback as (argument: unknown) => unknown, argument, delay)
    }

    cancel(id: number): boolean {
      let scheduler: Scheduler
      try {
        scheduler = this.#scheduler
      } catch {
        scheduler = schedulerBehind(this, 'cancel')
      }
      checkId(id)
      const unit = unitOfId(scheduler, id)
      if (unit === 0) return false
      scheduler.cancelId(unit)
      return true
    }

    reschedule(id: number, delay: number): boolean {
      let scheduler: Scheduler
      try {
        scheduler = this.#scheduler
      } catch {
        scheduler = schedulerBehind(this, 'reschedule')
      }
      // All ids are whole numbers. The deferred operation takes only whole delays.
      if (isInteger(id) && isInteger(delay) && rescheduleDeferred(scheduler, id, delay)) return true
      return rescheduleNow(scheduler, id, delay)
    }

    get [SCHEDULER](): Scheduler {
      return TimerWheel.#of(this, 'wheel').#scheduler
    }

    get name(): string {
      return TimerWheel.#of(this, 'name').#scheduler.name
    }

    signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal {
      const wheel = TimerWheel.#of(this, 'signal')
      return onDemand().openSignal(host, () => wheel.#scheduler, delay, options, wheel.#hasContext)
    }

    group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T> {
      const scheduler = TimerWheel.#of(this, 'group').#scheduler
      const open = () => {
        if (scheduler.stopped) throw wheelStopped()
        return scheduler
      }
      return onDemand().openGroup(open, onExpire, delay, options)
    }

    get now(): number {
      const wheel = TimerWheel.#of(this, 'now')
      return wheel.#manual?.time ?? wheel.#scheduler.now() * wheel.#scheduler.tick
    }

    pendingTimers(): PendingTimer[] {
      return pendingTimersOf(TimerWheel.#of(this, 'pendingTimers').#scheduler)
    }

    get pending(): number {
      return TimerWheel.#of(this, 'pending').#scheduler.pending
    }

    stats(): WheelStats {
      return statsOf(TimerWheel.#of(this, 'stats').#scheduler)
    }

    /** One line for `util.inspect` and `console.log`. A prototype or a proxy stays as it is. */
    [inspect](): unknown {
      if (!(#scheduler in this)) return this
      const { name, pending, tick, stopped } = this.#scheduler
      const named = name === '' ? '' : `name: ${JSON.stringify(name)}, `
      const driver = this.#manual === undefined ? 'host' : 'manual'
      const end = stopped ? ', stopped' : ''
      return `TimerWheel { ${named}pending: ${pending}, tick: ${tick}, driver: '${driver}'${end} }`
    }

    get promises(): TimersPromises {
      const wheel = TimerWheel.#of(this, 'promises')
      wheel.#promises ??= promisesOn(host, wheel.#Timeout, wheel.#scheduler, wheel.#aborts)
      return wheel.#promises
    }

    clear(): number {
      const wheel = TimerWheel.#of(this, 'clear')
      const count = clear(wheel.#scheduler)
      for (const abort of wheel.#aborts) abort()
      return count
    }

    [disposeSymbol](): void {
      TimerWheel.#of(this, '[Symbol.dispose]')
      this.stop()
    }

    stop(): PendingTimer[] {
      const wheel = TimerWheel.#of(this, 'stop')
      const scheduler = wheel.#scheduler
      // Their timers are not returned: the promises are over.
      for (const abort of wheel.#aborts) abort()
      if (!scheduler.stopped) {
        wheel.#left = pendingTimersOf(scheduler)
        stop(scheduler)
      }
      const left = wheel.#left
      // If this is interrupted, the next call does the rest, and returns the timers.
      for (const { timeout } of left) (timeout as WheelTimeout | undefined)?.detach()
      close(scheduler)
      wheel.#left = []
      return left
    }

    advance(ms: number): void {
      const manual = TimerWheel.#of(this, 'advance').#manual
      if (manual === undefined) throw notManual('advance')
      checkAdvance(ms)
      manual.run(ms, FOREVER)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      const wheel = TimerWheel.#of(this, 'runAll')
      const manual = wheel.#manual
      if (manual === undefined) throw notManual('runAll')
      checkLimit(limit)
      manual.run(FOREVER, wheel.pending + limit)
    }
  }
  return TimerWheel as unknown as TimerWheelConstructor
}
