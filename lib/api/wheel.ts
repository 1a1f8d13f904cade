/** Timing wheels: the class `TimerWheel` and its options. */
import type { TimerGroup, TimerGroupOptions } from './group.js'
import type { TimeoutSignal, TimeoutSignalOptions } from './signal.js'
import type { WheelStats } from './stats.js'
import type { PageTimeout, Timeout, TimeoutLike } from './timeout.js'
import type { TimersPromises } from './timers-promises.js'

/** Options of a wheel. */
export interface TimerWheelOptions {
  /**
   * The length of a tick in milliseconds: from 0.05 to 2^31 - 1, a multiple of 0.001. The timers of one tick run together,
   * when the last of them is due. Only the addon on Linux wakes within a millisecond. Default: 1.
   */
  tick?: number | undefined
  /** How long callbacks run, in milliseconds, before the event loop does other work: above 0, or `Infinity`. Default: 5. */
  budget?: number | undefined
  /** Whether handles and signals carry the async context of their creation (AsyncLocalStorage, async_hooks). Default: true. */
  asyncContext?: boolean | undefined
  /**
   * The largest number of pending timers: a whole number from 1, or `Infinity`. If it is reached, a call that adds a timer
   * throws `ERR_WHEEL_LIMIT` and changes nothing. Calls that add members to groups, make signals, or `refresh` a timer that has
   * run add a timer too. An interval counts for this limit while its callback runs. Default: `Infinity`.
   */
  maxPending?: number | undefined
  /** Whether pending timers let the process end. Handles, groups, maps, signals and promises can differ. Default: false. */
  unref?: boolean | undefined
  /** A name for tools that show the wheel, and for the error of `maxPending`. Default: `''`. */
  name?: string | undefined
  /** Whether `stats()` has `lateness` and `slowest`, for about 0.4 µs a callback. No effect in a page. Default: false. */
  measure?: boolean | undefined
  /**
   * What wakes the wheel. Default: `'host'`.
   *
   * - `'host'`: the event loop.
   * - `'worker'`: in a page, a dedicated worker, which is on time while the page is hidden.
   * - `'manual'`: only {@link TimerWheel.advance} and {@link TimerWheel.runAll} move the clock, for tests. No budget.
   *
   * Drivers that the host does not support fall back to `'host'`.
   */
  driver?: 'host' | 'worker' | 'manual' | undefined
}

/** What `setTimeout` of a wheel takes instead of a delay. */
export interface SetTimeoutOptions {
  /** Milliseconds from 0 to 2^53 - 1, not coerced. Fractions count. 0 is a millisecond, or a shorter tick. */
  delay: number
}

/** What `setInterval` of a wheel takes instead of a delay: also the options of {@link SetTimeoutOptions}. */
export interface SetIntervalOptions extends SetTimeoutOptions {
  /**
   * Whether each run counts from the start of the last one. `false`: runs are due at the time of the first, and then after
   * each whole delay. A run that is late by a whole delay is missed. The first argument of the callback is the number of runs
   * missed since the last one; 0 in virtual time. `refresh()` counts anew. Default: true.
   */
  drift?: boolean | undefined
}

/** A pending timer, as `pendingTimers()` and `stop()` list it. */
export interface PendingTimer<Handle = PageTimeout> {
  /** The callback. That of a signal aborts it with a `TimeoutError`. */
  callback: (...args: unknown[]) => unknown
  /** Its arguments. A timer of `schedule` has one. For a signal it is the signal, for a member of a group its item. */
  args: unknown[]
  /** Milliseconds until the timer is due; negative if it is late. */
  remaining: number
  /** Whether the timer keeps the process alive. In pages, what `hasRef()` of its handle returns. */
  hasRef: boolean
  /** The handle, if the timer has one. */
  timeout?: Handle
}

/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export interface TimerWheel<Handle = Timeout> extends Disposable {
  /**
   * Runs `callback` once after `delay`. O(1).
   *
   * @param delay milliseconds, coerced with warnings as by Node: a value below 1, above 2^31 - 1 or not a number becomes 1
   * @throws TypeError if `callback` is not a function
   * @throws RangeError with code `ERR_WHEEL_FULL` if there is no memory for the timer, `ERR_WHEEL_LIMIT` if `maxPending`
   *   timers are pending
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  setTimeout<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    delay?: number,
    ...args: A
  ): Handle
  /** The same for a callback whose one argument can be left out, such as the `resolve` of a promise. */
  // biome-ignore lint/suspicious/noConfusingVoidType: only void lets the caller leave an argument out
  setTimeout(callback: (this: Handle, _: void) => unknown, delay?: number): Handle
  /**
   * Runs `callback` once after `options.delay`. An object that converts to a number is a delay, as in Node.
   *
   * @throws TypeError if an option is unknown or of the wrong type, RangeError if `delay` is out of range
   */
  setTimeout<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    options: SetTimeoutOptions,
    ...args: A
  ): Handle
  /** As `setTimeout`, every `delay` milliseconds, counted from the start of the last run. */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    delay?: number,
    ...args: A
  ): Handle
  /**
   * Runs `callback` without drift: see {@link SetIntervalOptions.drift}. A `refresh()` by the callback itself changes
   * nothing, as with every interval.
   */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, missed: number, ...args: A) => unknown,
    options: SetIntervalOptions & { drift: false },
    ...args: A
  ): Handle
  /** As `setTimeout`, every `options.delay` milliseconds, counted from the start of the last run. */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    options: SetIntervalOptions & { drift?: true | undefined },
    ...args: A
  ): Handle
  /**
   * Clears a timer of any wheel by its handle, or by its number as a number or a string. `clearInterval` does the same. O(1).
   */
  clearTimeout(timeout: TimeoutLike | number | string | null | undefined): void
  /** Does the same as `clearTimeout`. */
  clearInterval(timeout: TimeoutLike | number | string | null | undefined): void
  /**
   * Runs `callback(argument)` once after `delay`. It keeps no async context. The pending timer keeps the process alive, unless
   * the wheel has the option `unref` or virtual time. O(1).
   *
   * @param delay milliseconds from 0 to 2^53 - 1. Fractions count. 0 is a millisecond, or a shorter tick
   * @returns an id. No other timer of this wheel ever has the same id
   * @throws TypeError if `callback` is not a function, or `delay` is not a number
   * @throws RangeError if `delay` is out of range, with code `ERR_WHEEL_FULL` if there is no memory for the timer,
   *   or `ERR_WHEEL_LIMIT` if `maxPending` timers are pending
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  schedule<T>(callback: (argument: T) => unknown, delay: number, argument: T): number
  schedule(callback: (argument: undefined) => unknown, delay: number): number
  /**
   * Cancels the timer of an id. O(1).
   *
   * @returns whether the timer was pending; `false` for a stale id. Another wheel can have the same id
   * @throws TypeError if `id` is not a number
   */
  cancel(id: number): boolean
  /**
   * Starts a new delay from now for the timer of an id. O(1).
   *
   * @param delay as in `schedule`
   * @returns whether the timer was pending, as `cancel` does
   * @throws TypeError if `id` or `delay` is not a number, RangeError if `delay` is out of range
   */
  reschedule(id: number, delay: number): boolean
  /** Milliseconds since the wheel was made, with fractions, on a monotonic clock, or the virtual time. */
  readonly now: number
  /**
   * Makes a signal that is aborted after `delay` with the `TimeoutError` of `AbortSignal.timeout`. On Node, listeners run in the async
   * context of this call, unless the wheel has `asyncContext: false`. O(1).
   *
   * @param delay milliseconds, as in `schedule`
   * @returns the signal, which is not aborted after `stop()`
   * @throws TypeError if `delay` is not a number, or an option is unknown or of the wrong type
   * @throws RangeError if `delay` is out of range, with code `ERR_WHEEL_FULL` if there is no memory for the timer, or
   *   `ERR_WHEEL_LIMIT` if `maxPending` timers are pending
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal
  /** The option `name`. */
  readonly name: string
  /**
   * Makes a group. After `delay` milliseconds without a `touch`, a member is removed, and `onExpire(item)` runs without an
   * async context.
   *
   * @param delay milliseconds, as in `schedule`
   * @throws TypeError if `onExpire` is not a function, `delay` is not a number or an option is of the wrong type or unknown
   * @throws RangeError if `delay` is out of range
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T>
  /** The number of pending timers. Each member of a group counts; a `TimeoutMap` with a timer counts as one. */
  readonly pending: number
  /**
   * Lists the pending timers in the order in which they will run. Those of maps are not listed. O(n log n), n being the
   * largest number of pending timers so far.
   */
  pendingTimers(): PendingTimer<Handle>[]
  /** The counts since the wheel was made. O(1). */
  stats(): WheelStats
  /** The functions of `timeout-wheel/promises`, on this wheel; `setImmediate` and `scheduler.yield` are those of the runtime. */
  readonly promises: TimersPromises
  /**
   * Cancels all timers, also those of groups, signals and maps, and an interval whose callback runs. Rejects pending promises
   * with an `AbortError`. The wheel takes new timers. O(n), n being the largest number of pending timers so far.
   *
   * A `TimeoutMap` keeps its entries. They still expire, but without a call of `onExpire`, until its next `set` or `touch`
   * sets the timer for all of them again. `dispose` is still called.
   *
   * @returns the number of cancelled timers, as `pending` counts them
   */
  clear(): number
  /**
   * Ends the wheel. Returns its pending timers, in their order, without those of promises and maps. Later calls that set a
   * timer throw; a second `stop()` returns an empty array. Rejects pending promises with an `AbortError`. Maps keep their
   * entries. O(n log n), n being the largest number of pending timers so far.
   */
  stop(): PendingTimer<Handle>[]
  /**
   * Lets virtual time pass. The timers of one tick run together, at the due time of the last of them.
   *
   * @param ms milliseconds from 0 to 2^53 - 1. Virtual time cannot exceed 2^53 ms in total; with a tick that is no whole
   *   number of milliseconds it passes in whole microseconds, at most 2^53 of them
   * @throws TypeError if `ms` is not a number, RangeError if it is out of range
   * @throws the error of a callback. The time then stays as the callback saw it, and the next call runs the rest
   * @throws Error with code `ERR_WHEEL_DRIVER` on a wheel with another driver, or inside a callback
   */
  advance(ms: number): void
  /**
   * Lets virtual time pass until no timer is pending.
   *
   * @param limit how many callbacks can run beyond one for each pending timer, from 0 to 2^53 - 1. Default: 1000
   * @throws TypeError if `limit` is not a number, RangeError if it is out of range
   * @throws the error of a callback, as `advance` does
   * @throws Error with code `ERR_WHEEL_ENDLESS` if timers are pending after that many callbacks. They stay pending
   * @throws Error with code `ERR_WHEEL_DRIVER` as `advance` does
   */
  runAll(limit?: number): void
}

/** The class of wheels. */
export interface TimerWheelConstructor<Wheel = TimerWheel> {
  /**
   * Makes a separate wheel, with room for 37.5 million timers. It reserves 1.25 MiB of memory, of which it uses about
   * 0.05 MB before its first timer, and at least about 0.1 MB from then on.
   *
   * @throws TypeError if an option is unknown or of the wrong type
   * @throws RangeError if `tick`, `budget` or `maxPending` is out of range, or with code `ERR_WHEEL_FULL` if there
   *   is no memory for another wheel
   */
  new (options?: TimerWheelOptions): Wheel
  readonly prototype: Wheel
}
