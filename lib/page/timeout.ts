/** The handle that `setTimeout` and `setInterval` return in a page. */
import { refuseOptions } from '../common/checks.js'
import { CLEARED, MAX_TIMEOUT, REPEATS, UNREFERENCED } from '../common/constants.js'
import { invalidCallback, notAHandle } from '../common/errors.js'
import { CLEAR, type Clearable, disposeSymbol, HANDLE_BRAND } from '../common/symbols.js'
import type { Shown, Target } from '../kernel/target.js'
import type { TimerKernel } from '../wheel/countdown.js'
import type { PageHost } from './host.js'

const NO_ARGUMENTS: unknown[] = []

/** The number of the last handle that has one: see `nextNumber`. */
let lastNumber: number = 2 ** 52
/** The handles whose number was read, while their timers are pending. */
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

export class Timeout implements Target, Clearable {
  declare readonly _kernel: TimerKernel
  /** 0: the timer is not pending, and no interval whose callback runs. */
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
    kernel: TimerKernel,
    callback: TimeoutCallback,
    delay: unknown,
    state: number,
    args = NO_ARGUMENTS,
    isExact?: boolean,
  ) {
    if (typeof callback !== 'function') throw invalidCallback(callback)
    this._kernel = kernel
    this._ms = isExact ? (delay as number) : coerceDelay(delay)
    this._state = kernel._isUnref ? state | UNREFERENCED : state
    this._callback = callback
    this._args = args
    this._unit = kernel._set(this, this._ms, true)
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
    const { _kernel: kernel, _unit: unit, _ms: former } = this._own()
    const ms = delay === undefined ? former : coerceDelay(delay)
    if (!(this._state & CLEARED || kernel._stopped)) {
      // This throws if the program has frozen the handle. Its unit can be another timer's then.
      this._unit = unit || kernel._set(this, ms, true)
      this._ms = ms
      if (unit) kernel._move(unit, ms)
      this._keepNumber()
    }
    return this
  }

  close(): this {
    // This throws if the program has frozen the handle. Its unit can be another timer's then.
    this._own()._state |= CLEARED
    this._cancel()
    return this
  }

  get pending(): boolean {
    return !!this._unit && !this._kernel._isRunning(this._unit)
  }

  get deadline(): number {
    return this._due() - this._kernel._origin
  }

  get remaining(): number {
    return this._due() - this._kernel._readClock()
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

  _expire(unit: number): void {
    const { _kernel: kernel } = this
    // An interrupted call has left this unit behind.
    if (unit !== this._unit) return kernel._end(unit, true)
    if (!(this._state & REPEATS)) {
      kernel._end(unit, true)
      this._over()
      Reflect.apply(this._callback, this, this._args)
      return
    }
    kernel._keep?.(unit)
    // The next run counts from the start of this one.
    const started = kernel._readClock()
    try {
      Reflect.apply(this._callback, this, this._args)
    } finally {
      this._endRun(unit, started)
    }
  }

  _endRun(unit: number, started = this._kernel._readClock()): void {
    const { _kernel: kernel } = this
    // The callback has cleared the interval, or has stopped the wheel.
    if (!kernel._isRunning(unit)) return
    // An interrupted call has left this unit behind.
    if (unit !== this._unit) return kernel._end(unit, true)
    // A refresh by its own callback does not count.
    kernel._moveTo(unit, started + this._ms)
    kernel._ran?.()
  }

  _cancel(): void {
    const { _unit: unit } = this
    this._over()
    if (unit) this._kernel._end(unit, true)
    this._state |= CLEARED
    this._callback = this._args = undefined as never
  }

  _forget(): void {
    this._over()
  }

  private _over(): void {
    this._unit = 0
    this._keepNumber()
  }

  get _shown(): Shown {
    return {
      callback: this._callback as never,
      args: this._args,
      hasRef: !(this._state & UNREFERENCED),
      timeout: this,
    }
  }

  /** The due time on the kernel's clock. */
  private _due(): number {
    return this.pending ? this._kernel._dueOf(this._unit) : Number.NaN
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

  /** Lets `clearTimeout` find the handle by its number while the timer is pending. */
  private _keepNumber(): void {
    if (!this._unit) known.delete(this._number!)
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
