/** The class `TimerWheel` of all hosts. It checks arguments, and calls the scheduler of its host. */
import type { TimerGroup, TimerGroupOptions } from '../api/group.js'
import type { TimeoutSignal, TimeoutSignalOptions } from '../api/signal.js'
import type { WheelStats } from '../api/stats.js'
import type { PageTimeout } from '../api/timeout.js'
import type { PromisedImmediate, TimersPromises } from '../api/timers-promises.js'
import type { PendingTimer, TimerWheelConstructor, TimerWheelOptions } from '../api/wheel.js'
import {
  type CheckedOptions,
  type CheckedSetOptions,
  checkAdvance,
  checkCallback,
  checkDelay,
  checkId,
  checkLimit,
  checkOptions,
  checkSetOptions,
} from './checks.js'
import { DEFAULT_LIMIT, FOREVER } from './constants.js'
import { notAWheel, notManual } from './errors.js'
import { type Aborts, promisesOn } from './promises.js'
import { disposeSymbol } from './symbols.js'
import type { VirtualTime } from './virtual-time.js'

type Callback = (...args: never[]) => unknown
/** The arguments of a callback. Without any, there is no array. */
type Args = unknown[] | undefined

/** What the class needs of its host. `S` is the scheduler of one wheel, and `H` makes the handles of that wheel. */
export interface WheelHost<S, H> {
  /** Opens a wheel. @throws RangeError if there is no memory for it */
  _open(options: CheckedOptions): [scheduler: S, handles: H]
  /** Sets a timer with a handle. @param delay coerced as by Node */
  _set(
    scheduler: S,
    handles: H,
    callback: Callback,
    delay: unknown,
    repeats: boolean,
    args: Args,
  ): PageTimeout
  /** Does the same with options that were checked. */
  _setWith(
    scheduler: S,
    handles: H,
    callback: Callback,
    options: CheckedSetOptions,
    repeats: boolean,
    args: Args,
  ): PageTimeout
  /** Clears a timer of any wheel, or of the host. */
  _clear(timeout: unknown): void
  /** Schedules a timer without a handle. Returns its id. */
  _schedule(scheduler: S, callback: (argument: unknown) => unknown, delay: number, argument: unknown): number
  /** Returns whether the timer was pending. */
  _cancel(scheduler: S, id: number): boolean
  /** Checks the arguments itself. Returns whether the timer was pending. */
  _reschedule(scheduler: S, id: number, delay: number): boolean
  /** @param hasContext whether listeners run in the async context of the call */
  _signal(scheduler: S, hasContext: boolean, delay: number, options?: TimeoutSignalOptions): TimeoutSignal
  _group<T>(
    scheduler: S,
    onExpire: (item: T) => unknown,
    delay: number,
    options: TimerGroupOptions | undefined,
  ): TimerGroup<T>
  readonly _setImmediate: PromisedImmediate
  /** Milliseconds since the wheel was made. */
  _now(scheduler: S): number
  /** Moves the time of a wheel with the driver `'manual'`: see {@link VirtualTime}. */
  _run(scheduler: S, ms: number, limit: number): void
  _pending(scheduler: S): number
  _pendingTimers(scheduler: S): PendingTimer[]
  _stats(scheduler: S): WheelStats
  /** Cancels all timers. Returns their number. */
  _clearAll(scheduler: S): number
  /** Ends the wheel. Returns the timers that were pending. */
  _stop(scheduler: S): PendingTimer[]
}

const schedulers = /* @__PURE__ */ new WeakMap<object, unknown>()

/** Returns the scheduler of a wheel. @throws TypeError if it is not a wheel */
export function schedulerOf<S>(wheel: unknown): S {
  const scheduler = schedulers.get(wheel as object)
  if (!scheduler) throw notAWheel(wheel)
  return scheduler as S
}

/** The class of the wheels of a host. */
export function timerWheelClass<S, H>(host: WheelHost<S, H>): TimerWheelConstructor {
  class TimerWheel {
    readonly #scheduler: S
    readonly #handles: H
    readonly #options: CheckedOptions
    #promises: TimersPromises | undefined
    readonly #aborts: Aborts = new Set()

    constructor(options?: TimerWheelOptions) {
      const checked = checkOptions(options)
      const [scheduler, handles] = host._open(checked)
      this.#options = checked
      this.#scheduler = scheduler
      this.#handles = handles
      schedulers.set(this, scheduler)
    }

    // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
    setTimeout(callback: Callback, delay?: unknown): PageTimeout {
      if (arguments.length > 2) return this.#setTimeoutWith.apply(this, arguments as never)
      return this.#set(callback, delay, false, undefined)
    }
    // biome-ignore-end lint/complexity/noArguments: see above

    #setTimeoutWith(callback: Callback, delay: unknown, ...args: unknown[]): PageTimeout {
      return this.#set(callback, delay, false, args)
    }

    setInterval(callback: Callback, delay?: unknown, ...all: unknown[]): PageTimeout {
      return this.#set(callback, delay, true, all.length > 0 ? all : undefined)
    }

    /** Sets a timer. @param given the delay, or options */
    #set(callback: Callback, given: unknown, repeats: boolean, args: Args): PageTimeout {
      const options = typeof given === 'object' && checkSetOptions(given, repeats)
      if (!options) return host._set(this.#scheduler, this.#handles, callback, given, repeats, args)
      return host._setWith(this.#scheduler, this.#handles, callback, options, repeats, args)
    }

    clearTimeout(timeout: unknown): void {
      host._clear(timeout)
    }

    clearInterval(timeout: unknown): void {
      host._clear(timeout)
    }

    schedule(callback: (argument: never) => unknown, delay: number, argument?: unknown): number {
      const scheduler = this.#scheduler
      checkCallback(callback)
      checkDelay(delay)
      return host._schedule(scheduler, callback as (argument: unknown) => unknown, delay, argument)
    }

    cancel(id: number): boolean {
      const scheduler = this.#scheduler
      checkId(id)
      return host._cancel(scheduler, id)
    }

    reschedule(id: number, delay: number): boolean {
      return host._reschedule(this.#scheduler, id, delay)
    }

    get name(): string {
      return this.#options.name
    }

    signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal {
      return host._signal(this.#scheduler, this.#options.asyncContext, delay, options)
    }

    group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T> {
      return host._group(this.#scheduler, onExpire, delay, options)
    }

    get now(): number {
      return host._now(this.#scheduler)
    }

    pendingTimers(): PendingTimer[] {
      return host._pendingTimers(this.#scheduler)
    }

    get pending(): number {
      return host._pending(this.#scheduler)
    }

    stats(): WheelStats {
      return host._stats(this.#scheduler)
    }

    get promises(): TimersPromises {
      this.#promises ??= promisesOn(this, host._setImmediate, this.#aborts)
      return this.#promises
    }

    clear(): number {
      const count = host._clearAll(this.#scheduler)
      for (const abort of this.#aborts) abort()
      return count
    }

    [disposeSymbol](): void {
      this.stop()
    }

    stop(): PendingTimer[] {
      // Their timers are not returned: the promises are over.
      for (const abort of this.#aborts) abort()
      return host._stop(this.#scheduler)
    }

    advance(ms: number): void {
      if (this.#options.driver !== 'manual') throw notManual('advance')
      checkAdvance(ms)
      host._run(this.#scheduler, ms, FOREVER)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      if (this.#options.driver !== 'manual') throw notManual('runAll')
      checkLimit(limit)
      host._run(this.#scheduler, FOREVER, this.pending + limit)
    }
  }
  return TimerWheel as unknown as TimerWheelConstructor
}
