/** The handle that `setTimeout` and `setInterval` return in a page. */
import { refuseOptions } from '../common/checks.js'
import { MAX_TIMEOUT } from '../common/constants.js'
import { invalidCallback, notAHandle } from '../common/errors.js'
import { CLEAR, type Clearable, disposeSymbol, HANDLE_BRAND } from '../common/symbols.js'
import { CLEARED, REPEATS, RUNS, UNREFERENCED } from './constants.js'
import type { PageHost } from './host.js'
import type { Handle, TimerScheduler } from './scheduler-types.js'

const NO_ARGUMENTS: unknown[] = []

/** The number of the last handle that has one: see `nextNumber`. */
let lastNumber: number = 2 ** 52
/** The handles whose number was read, while their timers are pending or run. */
const known = new Map<number, Timeout>()

/**
 * Returns the number of a handle after `number`. `clearTimeout` takes it instead of the handle. No timer of the page has such a number.
 *
 * A page's `clearTimeout` reads any value modulo 2^32 as a signed number, and its timers have the ids 1 to 2^31 - 1. So bit
 * 31 of a handle's number is set, and the page reads it as negative. Ids of `schedule` are below 2^52, these numbers above.
 */
export function nextNumber(number: number): number {
  return (++number | 0) < 0 ? number : number + 2 ** 31
}

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** Coerces a delay to whole milliseconds from 1 to 2^31 - 1, with a warning, as Node's `setTimeout` does. @throws TypeError for options */
function coerceDelay(delay: unknown): number {
  // A bigint or a symbol throws here.
  const ms = delay === undefined ? 1 : (delay as number) * 1
  if (ms > MAX_TIMEOUT) {
    console.warn(
      `TimeoutOverflowWarning: ${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
    )
  }
  if (Number.isNaN(ms)) refuseOptions(delay)
  return ms >= 1 && ms <= MAX_TIMEOUT ? Math.trunc(ms) : 1
}

export class Timeout implements Handle, Clearable {
  declare _scheduler: TimerScheduler
  declare _unit: number
  /** The delay in milliseconds. */
  declare _ms: number
  declare _state: number
  declare _callback: TimeoutCallback
  declare _args: unknown[]
  /** The number of the handle; undefined until it is first read. */
  declare private _number: number | undefined

  /** @param isExact whether the delay is a number that was checked. Then it is not coerced */
  constructor(
    scheduler: TimerScheduler,
    callback: TimeoutCallback,
    delay: unknown,
    state: number,
    args = NO_ARGUMENTS,
    isExact?: boolean,
  ) {
    if (typeof callback !== 'function') throw invalidCallback(callback)
    this._scheduler = scheduler
    this._ms = isExact ? (delay as number) : coerceDelay(delay)
    this._state = state
    this._callback = callback
    this._args = args
    this._unit = 0
    scheduler._schedule(0, this, this._ms)
  }

  ref(): this {
    this._own()._state &= ~UNREFERENCED
    return this
  }

  unref(): this {
    this._own()._state |= UNREFERENCED
    return this
  }

  hasRef(): boolean {
    return !(this._own()._state & UNREFERENCED)
  }

  refresh(delay?: number): this {
    const ms = delay === undefined ? this._own()._ms : coerceDelay(delay)
    if (!(this._own()._state & CLEARED) && !this._scheduler._stopped) {
      this._scheduler._schedule(this._unit, this, ms)
      this._ms = ms
      this._state &= ~RUNS
      this._keepNumber(true)
    }
    return this
  }

  close(): this {
    if (this._own()._unit && !this._scheduler._stopped) this._scheduler._cancel(this._unit)
    this._state |= CLEARED
    this._callback = this._args = undefined as never
    this._keepNumber()
    return this
  }

  get pending(): boolean {
    // An interval keeps its record while its callback runs.
    return !!this._unit && !this._scheduler._stopped && !(this._state & RUNS)
  }

  get deadline(): number {
    return this._dueFrom(0)
  }

  get remaining(): number {
    return this._dueFrom(1)
  }

  get [HANDLE_BRAND](): true {
    return true
  }

  set [CLEAR](_clearTimeout: true) {
    if (Object.getPrototypeOf(this) === Timeout.prototype) this.close()
  }

  [Symbol.toPrimitive](): number {
    this._own()._number ??= lastNumber = nextNumber(lastNumber)
    this._keepNumber()
    return this._number!
  }

  [disposeSymbol](): void {
    this.close()
  }

  _expire(): void {
    const { _scheduler } = this
    const repeats = this._state & REPEATS
    // The next run of an interval counts from the start of this one.
    const started = repeats && _scheduler._readClock()
    _scheduler._endDue(this._unit, repeats)
    this._state |= RUNS
    try {
      Reflect.apply(this._callback, this, this._args)
    } finally {
      this._end(started)
    }
  }

  _end(started?: number): void {
    const { _scheduler } = this
    // A cleared timer has no record. A refresh by the callback of an interval does not count.
    if (this._state & REPEATS && this._unit && !_scheduler._stopped)
      _scheduler._schedule(this._unit, this, this._ms, undefined, started)
    this._state &= ~RUNS
    this._keepNumber()
  }

  /** The due time in milliseconds: from the start of the wheel if `isFromNow` is 0, from now if it is 1. */
  private _dueFrom(isFromNow: number): number {
    const { _unit, _scheduler } = this
    if (!this.pending) return Number.NaN
    const now = _scheduler._readClock()
    const ticks = _scheduler._due(_unit) - isFromNow * now
    return _scheduler._msOf?.(ticks) ?? ticks
  }

  /**
   * Returns the handle. A proxy of a handle works, as Vue makes one of each handle in its state.
   *
   * @throws TypeError for an object that inherits from a handle, because a write to it would not reach the handle
   */
  private _own(): this {
    if (Object.getPrototypeOf(this) !== Timeout.prototype) throw notAHandle()
    return this
  }

  _keepNumber(isLive: unknown = (this._unit || this._state & RUNS) && !this._scheduler._stopped): void {
    if (!isLive) known.delete(this._number!)
    else if (this._number) known.set(this._number, this)
  }
}

/** Clears a timer by its handle or by the handle's number. Other numbers and strings go to the page. */
export function clear(timeout: unknown, { _clearTimeout }: PageHost): void {
  if ((timeout as Clearable | undefined)?.[HANDLE_BRAND]) (timeout as Clearable)[CLEAR] = true
  // No other types, because the page would convert an object to a number, and throw for a symbol.
  else if (typeof timeout === 'number' || typeof timeout === 'string') {
    // As a property key, not as a number: ' 7' names no timer.
    const own = `${+timeout}` === `${timeout}` && known.get(+timeout)
    if (own) own.close()
    else _clearTimeout(timeout)
  }
}
