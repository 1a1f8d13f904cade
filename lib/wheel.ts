/** The wheel as programs see it: its options, its lifecycle, its two ways to set a timer. */
import type { ManualBackend } from './drivers/manual.js'
import {
  checkAdvance,
  checkCallback,
  checkDelay,
  checkId,
  checkLimit,
  checkOptions,
  notManual,
  wheelStopped,
} from './errors.js'
import { ONCE, REPEATS } from './handle_state.js'
import { openManualScheduler, openScheduler, type Platform } from './open_scheduler.js'
import { CLEAR, type Clearable, IS_OURS } from './ours.js'
import type { Scheduler } from './scheduler.js'
import {
  clearOther,
  type OwnTimeout,
  type Timeout,
  type TimeoutClasses,
  type TimeoutConstructor,
  type TimeoutLike,
} from './timeout.js'

/** How many callbacks `runAll` runs beyond those of the timers that were pending: as many as fake timers do. */
const DEFAULT_LIMIT = 1000

/** How a wheel is made. */
export interface TimerWheelOptions {
  /** Milliseconds a tick lasts: the wheel's resolution. A whole number from 1 to 2^31 - 1. Default: 1. */
  tick?: number | undefined
  /**
   * Milliseconds that callbacks may run in one go before other work of the event loop gets its turn, a number above 0.
   * The callback that is running when it is used up is not cut short. On Node, timers that are late by more than 50 ms may
   * run for longer: as long as the other work of a turn takes, or as the timers that it adds need. Default: 5.
   */
  budget?: number | undefined
  /** Whether handles carry the async context they were made in (AsyncLocalStorage, async_hooks). Default: true. */
  asyncContext?: boolean | undefined
  /**
   * What moves the wheel. Default: `'host'`.
   *
   * - `'host'`: the event loop.
   * - `'worker'`: in a page, a dedicated worker, whose timers are not throttled while the page is hidden.
   * - `'animation-frame'`: in a page, due timers run when a frame begins.
   * - `'manual'`: only {@link TimerWheel.advance} and {@link TimerWheel.runAll}, for tests. There is no budget.
   *
   * Where there are no workers, no frames or no page at all, as on Node, those two are the same as `'host'`.
   */
  driver?: 'host' | 'worker' | 'animation-frame' | 'manual' | undefined
}

/** A timer that had not run when its wheel was stopped. */
export interface UnexpiredTimer {
  /** What would have been called. */
  callback: (...args: unknown[]) => unknown
  /** With what; of a timer of `schedule`, its one argument. */
  args: unknown[]
  /** Milliseconds it had left; below 0 by as much as it was late already. */
  remaining: number
  /** The handle, of a timer that has one. */
  timeout?: Timeout
}

/** A timing wheel of one's own: apart from all others, and stopped as one. */
export interface TimerWheel {
  /**
   * Runs `callback` once, after `delay`. Coercions and warnings as in Node's `setTimeout`. O(1).
   *
   * @param delay milliseconds; below 1, above 2^31 - 1 or not a number: 1
   * @throws TypeError where `callback` is no function
   * @throws RangeError with code `ERR_WHEEL_FULL` where there is no memory for it
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  setTimeout<A extends unknown[]>(
    callback: (this: Timeout, ...args: A) => unknown,
    delay?: number,
    ...args: A
  ): Timeout
  // For a promise's `resolve`, whose value may be left out.
  // biome-ignore lint/suspicious/noConfusingVoidType: it is what lets an argument be left out
  setTimeout(callback: (this: Timeout, _: void) => unknown, delay?: number): Timeout
  /** Runs `callback` every `delay` milliseconds, counted from the start of its last run. Else as `setTimeout`. */
  setInterval<A extends unknown[]>(
    callback: (this: Timeout, ...args: A) => unknown,
    delay?: number,
    ...args: A
  ): Timeout
  /** Clears a timer, of this or another wheel, by its handle, or by its number as a number or a string. O(1). */
  clearTimeout(timeout: TimeoutLike | number | string | null | undefined): void
  /** Does the same as `clearTimeout`. */
  clearInterval(timeout: TimeoutLike | number | string | null | undefined): void
  /**
   * Runs `callback(argument)` once, after `delay`. Nothing is allocated for it, and no async context is kept. O(1).
   *
   * @param delay milliseconds, a finite number from 0 to 2^53 - 1, fractions included; below a tick it is one tick
   * @returns an id for `cancel` and `reschedule`, which no other timer ever has
   * @throws TypeError where `callback` is no function or `delay` no number, RangeError where `delay` is out of range or
   *   the wheel is full (`ERR_WHEEL_FULL`), Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  schedule<T>(callback: (argument: T) => unknown, delay: number, argument: T): number
  schedule(callback: (argument: undefined) => unknown, delay: number): number
  /**
   * Cancels the timer of an id. O(1).
   *
   * @returns whether it was still pending; of another wheel's id or a stale one: `false`
   * @throws TypeError where `id` is no number
   */
  cancel(id: number): boolean
  /**
   * Counts a new delay from now for the timer of an id. O(1).
   *
   * @param delay as that of `schedule`
   * @returns whether it was still pending, as `cancel` does
   * @throws TypeError where `id` or `delay` is no number, RangeError where `delay` is out of range
   */
  reschedule(id: number, delay: number): boolean
  /** How many timers are pending. */
  readonly pending: number
  /**
   * Gives back the memory that the wheel has taken beyond what it began with. A wheel has memory for as many timers as were
   * ever pending at once; it does this by itself when it has been empty for ten seconds of real time, but not with the
   * driver `'manual'`. Does nothing while a timer is pending or the callback of an interval runs, or where there is no
   * memory for it. What was returned before, handles and ids, means what it did. About as long as making a wheel.
   *
   * The addon gives the memory to the system at once. That of WebAssembly, and what the engine holds for the timers, goes
   * when garbage is collected.
   */
  trim(): void
  /**
   * Ends the wheel. Pending timers will not run; they are returned in the order they would have. Later calls that set a
   * timer throw; a second `stop()` returns an empty array. O(n log n).
   */
  stop(): UnexpiredTimer[]
  /**
   * Lets virtual time pass on a wheel made with `{ driver: 'manual' }`: runs what comes due on the way, each at its time.
   *
   * @param ms milliseconds, a finite number from 0 to 2^53 - 1; at most 2^53 may pass in all
   * @throws TypeError where `ms` is no number, RangeError where it is out of range
   * @throws what a callback throws: time then stands at that timer's deadline, and the next call goes on with the rest
   * @throws Error with code `ERR_WHEEL_DRIVER` on a wheel of another driver, or from inside a callback
   */
  advance(ms: number): void
  /**
   * Lets virtual time pass on a wheel made with `{ driver: 'manual' }` until no timer is pending.
   *
   * @param limit how many callbacks may run beyond one for each timer that is pending now: a whole number from 0 to
   *   2^53 - 1; 1000 when left out. So that intervals, and timers which set the next, come to an end
   * @throws TypeError where `limit` is no number, RangeError where it is out of range
   * @throws what a callback throws, as `advance` does
   * @throws Error with code `ERR_WHEEL_ENDLESS` where timers are pending after so many: those stay pending
   * @throws Error with code `ERR_WHEEL_DRIVER` as `advance` does
   */
  runAll(limit?: number): void
}

/** The class of wheels. */
export interface TimerWheelConstructor<Wheel = TimerWheel> {
  /**
   * Makes a wheel: 384 KiB of memory, of which it touches little before its first timer.
   *
   * @throws TypeError where an option is of the wrong type or an unknown `driver`, RangeError where `tick` or `budget` is
   *   out of range, or there is no memory for another wheel (`ERR_WHEEL_FULL`)
   */
  new (options?: TimerWheelOptions): Wheel
  readonly prototype: Wheel
}

const { isInteger } = Number

const rescheduleNow = (scheduler: Scheduler, id: number, delay: number): boolean => {
  checkId(id)
  checkDelay(delay)
  const unit = scheduler.unitOfId(id)
  if (unit === 0) return false
  scheduler.arm(unit, undefined, delay)
  return true
}

/** The class of wheels that run on `platform`. */
export function timerWheelClass(platform: Platform, timeouts: TimeoutClasses): TimerWheelConstructor {
  const { host } = platform

  return class TimerWheel {
    readonly #scheduler: Scheduler
    readonly #Timeout: TimeoutConstructor
    #manual: ManualBackend | undefined

    constructor(options?: TimerWheelOptions) {
      const { tick, budget, asyncContext, driver } = checkOptions(options)
      this.#Timeout = asyncContext ? timeouts.context : timeouts.plain
      if (driver === 'manual') {
        const { scheduler, manual } = openManualScheduler(platform, tick)
        this.#scheduler = scheduler
        this.#manual = manual
      } else {
        this.#scheduler = openScheduler(platform, tick, budget)
      }
    }

    // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
    setTimeout(callback: (...args: never[]) => unknown, delay?: number): Timeout {
      if (arguments.length > 2) return this.#setTimeoutWith.apply(this, arguments as never)
      return new this.#Timeout(callback, delay, ONCE, undefined, this.#scheduler)
    }
    // biome-ignore-end lint/complexity/noArguments: see above

    #setTimeoutWith(callback: (...args: never[]) => unknown, delay: number, ...args: unknown[]): Timeout {
      return new this.#Timeout(callback, delay, ONCE, args, this.#scheduler)
    }

    setInterval(callback: (...args: never[]) => unknown, delay?: number, ...args: unknown[]): Timeout {
      return new this.#Timeout(
        callback,
        delay,
        REPEATS,
        args.length === 0 ? undefined : args,
        this.#scheduler,
      )
    }

    clearTimeout(timeout: unknown): void {
      if ((timeout as Clearable | undefined)?.[IS_OURS] === undefined) clearOther(timeout, host)
      else (timeout as Clearable)[CLEAR] = true
    }

    clearInterval(timeout: unknown): void {
      this.clearTimeout(timeout)
    }

    schedule(callback: (argument: never) => unknown, delay: number, argument?: unknown): number {
      checkCallback(callback)
      checkDelay(delay)
      const scheduler = this.#scheduler
      if (scheduler.stopped) throw wheelStopped()
      return scheduler.startId(callback as (argument: unknown) => unknown, argument, delay)
    }

    cancel(id: number): boolean {
      checkId(id)
      const unit = this.#scheduler.unitOfId(id)
      if (unit === 0) return false
      this.#scheduler.releaseId(unit)
      return true
    }

    reschedule(id: number, delay: number): boolean {
      const scheduler = this.#scheduler
      // All ids are whole numbers, and so are the delays it takes.
      if (isInteger(id) && isInteger(delay) && scheduler.rescheduleLater(id, delay)) return true
      return rescheduleNow(scheduler, id, delay)
    }

    get pending(): number {
      return this.#scheduler.pending
    }

    trim(): void {
      this.#scheduler.trim()
    }

    stop(): UnexpiredTimer[] {
      if (this.#scheduler.stopped) return []
      const left = this.#scheduler.stop().map(({ occupant, argument, remaining }) => {
        if (typeof occupant === 'function') return { callback: occupant, args: [argument], remaining }
        const timeout = occupant as OwnTimeout
        return { ...timeout.detach(), remaining, timeout }
      })
      this.#scheduler.forget()
      return left
    }

    advance(ms: number): void {
      if (this.#manual === undefined) throw notManual('advance')
      checkAdvance(ms)
      this.#manual.run(ms)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      if (this.#manual === undefined) throw notManual('runAll')
      checkLimit(limit)
      this.#manual.runAll(this.pending + limit)
    }
  }
}
