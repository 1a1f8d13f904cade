/** Timing wheels: the class `TimerWheel` and its options. */
import type { TimerGroup, TimerGroupOptions } from './group.js'
import type { TimeoutSignal, TimeoutSignalOptions } from './signal.js'
import type { WheelStats } from './stats.js'
import type { PageTimeout, Timeout, TimeoutLike } from './timeout.js'
import type { Signal, TimersPromises } from './timers-promises.js'

/** Options of a wheel. */
export interface TimerWheelOptions {
  /**
   * The length of a tick in milliseconds: the wheel's resolution. From 0.05 to 2^31 - 1, a multiple of 0.001. Only the addon on
   * Linux wakes within a millisecond; elsewhere timers of finer ticks are later. Default: 1.
   */
  tick?: number | undefined
  /**
   * By how many milliseconds each timer may run later than its deadline, so that timers share wake-ups: from 0 to 2^31 - 1.
   * Deadlines of all timers move up to multiples of 1, 2, 3, 4, 6, 8, 12 ... ticks, the longest step that fits. Slack below one
   * tick has no effect. Default: 0.
   */
  slack?: number | undefined
  /**
   * How long callbacks run, in milliseconds, before the event loop does other work: above 0, or `Infinity`. A running
   * callback is not interrupted. On Node, callbacks run longer under overload, while timers are more than 50 ms late. Default: 5.
   */
  budget?: number | undefined
  /** Whether handles carry the async context of their creation (AsyncLocalStorage, async_hooks). Default: true. */
  asyncContext?: boolean | undefined
  /**
   * The largest number of pending timers: a whole number from 1, or `Infinity`. A call that would add one more throws
   * `ERR_WHEEL_LIMIT` and changes nothing: also a member of a group, a signal, or `refresh` of a timer that has run. The next
   * run of an interval is never refused: an interval keeps its place while its callback runs. Default: `Infinity`.
   */
  maxPending?: number | undefined
  /**
   * Whether the timers let the process end while they are pending, as after `unref()` of each. What is said for one timer counts
   * more than this option: `ref()` and `unref()` of a handle, the option `unref` of a group, a map or a signal, and the option
   * `ref` of a promise. Without effect in a page, apart from `hasRef()`. Default: false.
   */
  unref?: boolean | undefined
  /** A name for errors and for tools that show the wheel. Default: `''`. */
  name?: string | undefined
  /**
   * Whether `stats()` has `lateness` and `slowest`. Each callback then costs about 0.4 microseconds more. Default: false.
   */
  measure?: boolean | undefined
  /**
   * What wakes the wheel. Default: `'host'`.
   *
   * - `'host'`: the event loop.
   * - `'worker'`: in a page, a dedicated worker, whose timers are not throttled while the page is hidden.
   * - `'animation-frame'`: in a page, due timers run at the start of a frame.
   * - `'manual'`: only {@link TimerWheel.advance} and {@link TimerWheel.runAll} move the clock, for tests. No budget.
   *
   * Unsupported drivers fall back to `'host'`: both page drivers on Node, and drivers that a page does not support.
   */
  driver?: 'host' | 'worker' | 'animation-frame' | 'manual' | undefined
}

/** What `setTimeout` of a wheel takes in place of a delay. */
export interface SetTimeoutOptions {
  /** Milliseconds, a finite number from 0 to 2^53 - 1, fractions included; not coerced. Less than a tick counts as one tick. */
  delay: number
  /** Clears the timer when it is aborted. The timer listens to it only until the timer ends. */
  signal?: Signal | undefined
}

/** What `setInterval` of a wheel takes in place of a delay: also the options of {@link SetTimeoutOptions}. */
export interface SetIntervalOptions extends SetTimeoutOptions {
  /**
   * Whether each run counts from the start of the last one, so that late runs make all later ones late. `false`: runs are due at the
   * time of the first, and then after each whole delay. A run that is late by a whole delay or more is missed, and the first
   * argument of the callback is the number of runs that were missed since the last one: 0, unless the program was busy for so long.
   * In virtual time it is always 0. `refresh()` counts anew. Default: true.
   */
  drift?: boolean | undefined
}

/** Options of one timer of {@link TimerWheel.schedule}. */
export interface ScheduleOptions {
  /** See {@link TimerWheelOptions.slack}. Default: that of the wheel. */
  slack?: number | undefined
}

/** A timer that was pending when its wheel was stopped. */
export interface UnexpiredTimer<Handle = PageTimeout> {
  /** The callback. That of a signal aborts the signal with a `TimeoutError`. */
  callback: (...args: unknown[]) => unknown
  /** Its arguments. A timer of `schedule` has one. The argument of a signal's timer is the signal. */
  args: unknown[]
  /** Milliseconds until the timer was due; negative if it was late. */
  remaining: number
  /** The handle, if the timer has one. */
  timeout?: Handle
}

/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export interface TimerWheel<Handle = Timeout> extends Disposable {
  /**
   * Runs `callback` once after `delay`. The delay is coerced, with warnings, as by Node's `setTimeout`. O(1).
   *
   * @param delay milliseconds. A value below 1, above 2^31 - 1 or not a number becomes 1
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
   * Runs `callback` once after `options.delay`, unless `options.signal` is aborted first. If it is aborted already, the handle is
   * that of a cleared timer. A wheel that takes no more timers throws in that case too. The other arguments are those of the
   * callback.
   *
   * An object without `delay` and without `signal` is coerced to a delay, as by Node's `setTimeout`.
   *
   * @throws TypeError if an option is unknown or of the wrong type, RangeError if `delay` is out of range
   */
  setTimeout<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    options: SetTimeoutOptions,
    ...args: A
  ): Handle
  /** Runs `callback` every `delay` milliseconds, counted from the start of its last run. Otherwise as `setTimeout`. */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    delay?: number,
    ...args: A
  ): Handle
  /**
   * Runs `callback` without drift: at the due time of the first run, and then after each whole delay. Its first argument is the number
   * of missed runs: see {@link SetIntervalOptions.drift}. As with every interval, a `refresh()` by the callback itself changes nothing.
   */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, missed: number, ...args: A) => unknown,
    options: SetIntervalOptions & { drift: false },
    ...args: A
  ): Handle
  /** Runs `callback` every `options.delay` milliseconds until `options.signal` is aborted. Otherwise as `setTimeout`. */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    options: SetTimeoutOptions,
    ...args: A
  ): Handle
  /** The same with the default of the option. */
  setInterval<A extends unknown[]>(
    callback: (this: Handle, ...args: A) => unknown,
    options: SetIntervalOptions & { drift?: true | undefined },
    ...args: A
  ): Handle
  /** Clears a timer of any wheel by its handle, or by its number as a number or a string. O(1). */
  clearTimeout(timeout: TimeoutLike | number | string | null | undefined): void
  /** Does the same as `clearTimeout`. */
  clearInterval(timeout: TimeoutLike | number | string | null | undefined): void
  /**
   * Runs `callback(argument)` once after `delay`. It allocates no object and keeps no async context. While the timer is pending
   * it keeps the process alive, unless the wheel has the option `unref` or virtual time. O(1).
   *
   * @param delay milliseconds from 0 to 2^53 - 1, fractions included. Less than a tick counts as one tick
   * @param options `slack`: as the option of the wheel, for this timer alone, and until it is rescheduled
   * @returns an id for `cancel` and `reschedule`. No other timer ever has the same id
   * @throws TypeError if `callback` is not a function, `delay` or `slack` is not a number, or an option is unknown
   * @throws RangeError if `delay` or `slack` is out of range, with code `ERR_WHEEL_FULL` if there is no memory for the timer, or
   *   `ERR_WHEEL_LIMIT` if `maxPending` timers are pending
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  schedule<T>(
    callback: (argument: T) => unknown,
    delay: number,
    argument: T,
    options?: ScheduleOptions,
  ): number
  schedule(callback: (argument: undefined) => unknown, delay: number): number
  /**
   * Cancels the timer of an id. O(1).
   *
   * @returns whether the timer was pending; `false` for a stale id or an id of another wheel
   * @throws TypeError if `id` is not a number
   */
  cancel(id: number): boolean
  /**
   * Starts a new delay from now for the timer of an id. A slack of its own is over. O(1).
   *
   * @param delay as in `schedule`
   * @returns whether the timer was pending, as `cancel` does
   * @throws TypeError if `id` or `delay` is not a number, RangeError if `delay` is out of range
   */
  reschedule(id: number, delay: number): boolean
  /**
   * Milliseconds since the wheel was made, on a monotonic clock, fractions included; with `{ driver: 'manual' }` the virtual
   * time. `deadline` of handles is on this scale.
   */
  readonly now: number
  /**
   * Makes a signal that is aborted after `delay` with a `TimeoutError`, a `DOMException` as that of `AbortSignal.timeout`. It has
   * methods that end its timer or start it again. Listeners run without an async context. O(1).
   *
   * @param delay milliseconds from 0 to 2^53 - 1, fractions included. Less than a tick counts as one tick
   * @returns the signal. The wheel keeps it while its timer is pending. After `stop()` it is never aborted by the wheel
   * @throws TypeError if `delay` is not a number, or an option is unknown or of the wrong type
   * @throws RangeError if `delay` is out of range, with code `ERR_WHEEL_FULL` if there is no memory for the timer, or
   *   `ERR_WHEEL_LIMIT` if `maxPending` timers are pending
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal
  /** The option `name`. */
  readonly name: string
  /**
   * Makes a group: timers with one callback and one delay, whose members are numbers. Each member runs `onExpire(item)` once,
   * without an async context, after `delay` milliseconds without a `touch`. The member is removed first.
   *
   * @param delay milliseconds, a finite number from 0 to 2^53 - 1, fractions included. With a delay below one tick, members
   *   run at the next tick
   * @throws TypeError if `onExpire` is not a function, `delay` is not a number or an option is of the wrong type or unknown
   * @throws RangeError if `delay` is out of range
   * @throws Error with code `ERR_WHEEL_STOPPED` after `stop()`
   */
  group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T>
  /** The number of pending timers: each member of a group counts, and each `TimeoutMap` whose timer is set counts as one. */
  readonly pending: number
  /**
   * Iterates over the handles and ids of the pending timers, in the order in which they will run. Timers that are set or end
   * meanwhile make no difference. Members of groups, signals and maps have no handle: they are left out. O(n log n).
   */
  [Symbol.iterator](): IterableIterator<Handle | number>
  /**
   * Counts what the wheel has done since it was made. It costs nothing until it is called. O(1) on Node; in a page, O(n) in
   * the largest number of timers that were pending at a time.
   */
  stats(): WheelStats
  /**
   * Gives back all memory beyond that of a new wheel. A wheel trims itself after ten seconds without pending timers, except with
   * the driver `'manual'`. Does nothing while a timer is pending, while the callback of an interval runs, or if there is no memory
   * for a new wheel. Handles and ids stay valid. Takes about as long as making a wheel. The addon returns its memory to the
   * system at once; WebAssembly memory, and the engine's own memory for the timers, return with a garbage collection.
   */
  trim(): void
  /**
   * The functions of `timeout-wheel/promises`, on this wheel; `setImmediate` and `scheduler.yield` are those of the runtime.
   * `clear()` and `stop()` reject the pending promises with an `AbortError`. A promise is rejected, too, if the wheel takes
   * no more timers.
   */
  readonly promises: TimersPromises
  /**
   * Cancels all timers: those of handles and ids, the members of groups, the timers of signals and maps, and an interval whose
   * callback runs. Rejects the pending promises of {@link TimerWheel.promises} with an `AbortError`. Then the wheel is as after
   * the end of its last timer, and takes new ones. O(n).
   *
   * A `TimeoutMap` keeps its entries. They still end after their ttl, but without a call of `onExpire`, until a `set` or
   * `touch` of the map sets its timer again, for all of its entries.
   *
   * @returns the number of cancelled timers, as `pending` counts them
   */
  clear(): number
  /** Calls `stop()`, at the end of the scope of `using wheel = new TimerWheel()`. */
  [Symbol.dispose](): void
  /**
   * Ends the wheel. Its pending timers will not run; they are returned in the order in which they would have run. Later
   * calls that set a timer throw; a second `stop()` returns an empty array. Rejects the pending promises of
   * {@link TimerWheel.promises} with an `AbortError`, and does not return their timers. Nor does it return those of maps, which
   * keep their entries. O(n log n).
   */
  stop(): UnexpiredTimer<Handle>[]
  /**
   * Lets virtual time pass on a wheel with `{ driver: 'manual' }`. Each timer that becomes due runs at its deadline.
   *
   * @param ms milliseconds, a finite number from 0 to 2^53 - 1. Virtual time cannot exceed 2^53 ms in total. If a tick is not a
   *   whole number of milliseconds, time passes in whole microseconds, and cannot exceed 2^53 of them
   * @throws TypeError if `ms` is not a number, RangeError if it is out of range
   * @throws the error of a callback. The time is then that timer's deadline; the next call runs the rest
   * @throws Error with code `ERR_WHEEL_DRIVER` on a wheel with another driver, or inside a callback
   */
  advance(ms: number): void
  /**
   * Lets virtual time pass on a wheel with `{ driver: 'manual' }` until no timer is pending.
   *
   * @param limit the number of callbacks that can run beyond one for each pending timer, from 0 to 2^53 - 1. It stops
   *   intervals, and timers that keep setting new ones. Default: 1000
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
   * Makes a separate wheel with a clock, a budget and a lifecycle of its own. It reserves 384 KiB of memory and uses little of
   * it before its first timer. A wheel has room for 41.9 million timers. On Node, a program gets a `TimerWheelWarning`, once,
   * when it has 64 wheels that are neither stopped nor collected.
   *
   * @throws TypeError if an option is unknown or of the wrong type
   * @throws RangeError if `tick`, `budget`, `slack` or `maxPending` is out of range, or with code `ERR_WHEEL_FULL` if there is
   *   no memory for another wheel
   */
  new (options?: TimerWheelOptions): Wheel
  readonly prototype: Wheel
}
