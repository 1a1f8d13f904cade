/**
 * The handle that `setTimeout` and `setInterval` return on Node. Its class extends one with the fields of Node's handles, which
 * extends Node's class for async contexts: `AsyncResource <- NodeFields <- Timeout`.
 *
 * The properties are ordinary ones that begin with an underscore, because private ones cost more to create.
 */
import { CLEARED, ONCE, REPEATS, UNREFERENCED } from '../../common/constants.js'
import { invalidCallback, notAHandle } from '../../common/errors.js'
import { CLEAR, disposeSymbol, HANDLE_BRAND } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'
import { reference, unreference } from '../../kernel/references.js'
import type { Target } from '../../kernel/target.js'
import type { Host } from '../host/node-host.js'
import { ASYNC_OPTIONS, NoContext, settleLayout } from './base.js'
import { coerceDelay } from './delay.js'
import { beginRun, endRun, extraOf, keepSteady, numbered } from './extra.js'
import { nodeFields } from './node-fields.js'
import {
  DESTROYED,
  type MakeTimeout,
  type TimeoutCallback,
  type Timeouts,
  type WheelTimeout,
} from './state.js'

const { getPrototypeOf } = Object

/**
 * Makes a class of handles. There are several, so that V8 sees one kind of object on each path.
 *
 * @param hasContext whether callbacks run in the async context of the call that set them
 * @param shared opens the kernel that all handles of the class share, when it is first needed. Then the kernel is a property of the
 *   prototype, not a field of the handle: with many timers the read of a field is a cache miss
 */
export function timeoutsOn(host: Host, hasContext: boolean, shared?: () => Kernel): Timeouts {
  const { clearedCallback } = host
  const Base = hasContext ? host.AsyncContext : NoContext

  class Timeout extends nodeFields(Base) implements WheelTimeout, Target {
    declare readonly [HANDLE_BRAND]: true
    declare readonly _expire: (unit: number) => void

    /** Makes only the handle. The caller sets the timer. So V8 compiles this constructor and its bases into the caller. */
    constructor(callback: TimeoutCallback, ms: number, bits: number) {
      super('Timeout', ASYNC_OPTIONS)
      // biome-ignore lint/complexity/noUselessThisAlias: a derived constructor checks `this` at each use
      const self = this
      self._unit = 0
      self._ms = ms
      self._onTimeout = callback
      // The last field that every handle has: see lib/kernel/read-ahead.ts.
      self._state = bits
    }

    // The methods compare prototypes, because V8 knows the prototype from the object's shape. An object that inherits from a handle is
    // none: a write to it would not reach the handle. A proxy of a handle works, as Vue makes one of each handle in its state.

    ref(): this {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      if ((this._state & UNREFERENCED) !== 0) {
        if (this._unit !== 0) reference(this._kernel, this)
        else this._state &= ~UNREFERENCED
      }
      return this
    }

    unref(): this {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      if ((this._state & UNREFERENCED) === 0) {
        if (this._unit !== 0) unreference(this._kernel, this)
        else this._state |= UNREFERENCED
      }
      return this
    }

    hasRef(): boolean {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      return (this._state & UNREFERENCED) === 0
    }

    refresh(delay?: number): this {
      const unit = this._unit
      if (unit === 0 || delay !== undefined || getPrototypeOf(this) !== prototype) {
        return refreshUnusual(this, delay)
      }
      // Changes nothing, but throws if the program has frozen the handle: then the unit can be another timer's.
      this._unit = unit
      this._kernel._move(unit, this._ms)
      return this
    }

    close(): this {
      // Clears by the setter, because V8 inlines that: see common/symbols.ts.
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      this[CLEAR] = true
      return this
    }

    set [CLEAR](_clearTimeout: true) {
      const unit = this._unit
      // ONCE is no bit: a timer that runs once, has a reference and nothing rare.
      if (!unit || this._state !== ONCE || getPrototypeOf(this) !== prototype) {
        clearUnusual(this)
        return
      }
      this._unit = 0
      this._kernel._end(unit, true)
      this._state = DESTROYED | CLEARED
      this._onTimeout = clearedCallback as never
      if (this._timerArgs !== undefined) this._timerArgs = undefined
      this.emitDestroy()
    }

    [Symbol.toPrimitive](): number {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      const extra = extraOf(this)
      if (extra.id === 0) {
        extra.id = this.asyncId()
        if (!this._destroyed) numbered.set(extra.id, this)
      }
      return extra.id
    }

    [disposeSymbol](): void {
      this.close()
    }

    _endRun(unit: number, started = this._kernel._readClock()): void {
      const kernel = this._kernel
      // The callback has cleared the interval, or has stopped the wheel.
      if (!kernel._isRunning(unit)) return
      // An interrupted call has set this unit, and the handle never got it.
      if (unit !== this._unit) return kernel._end(unit, (this._state & UNREFERENCED) === 0)
      // Also if its own callback has refreshed it.
      kernel._moveTo(unit, endRun(this, started) + (this._ms || kernel._soonest))
      kernel._ran()
    }

    _cancel(): void {
      this[CLEAR] = true
    }

    _forget(): void {
      this._unit = 0
      this._state |= CLEARED
      if (!this._destroyed) this._done()
    }

    /** Sets the timer again: `refresh` of an unusual timer or with a delay. */
    _setAgain(delay: unknown): void {
      const kernel = this._kernel
      // This ends the timer if it was set on the clock of a test tool that has ended.
      if (kernel._isFaked) kernel._settle()
      const ms = delay === undefined ? this._ms : coerceDelay(delay, host)
      if ((this._state & CLEARED) !== 0 || kernel._stopped) return
      const unit = this._unit
      // This throws if the program has frozen the handle, as in `refresh`.
      this._unit = unit || kernel._set(this, ms, (this._state & UNREFERENCED) === 0)
      if (unit !== 0) kernel._move(unit, ms)
      this._ms = ms
      const extra = this._extra
      if (extra?.id) numbered.set(extra.id, this)
      if (!this._destroyed) return
      this._state &= ~DESTROYED
      this._renewContext()
    }

    /** Makes a timer that has run a new async resource, with the present context and a new id. */
    private _renewContext(): void {
      // Only a constructor makes a resource. The hooks see the object that it makes, which is a handle only by its class.
      const resource: object = Reflect.construct(Base, ['Timeout', ASYNC_OPTIONS], Timeout)
      for (const key of Reflect.ownKeys(resource)) Reflect.set(this, key, Reflect.get(resource, key))
      // Its `hasRef` is the present one of the handle.
      Reflect.set(resource, '_state', this._state)
    }
  }

  const make: MakeTimeout = (kernel, callback, delay, bits, args, options) => {
    if (typeof callback !== 'function') throw invalidCallback(callback)
    const ms = options === undefined ? coerceDelay(delay, host) : options.delay
    // So async hooks see no refused timer.
    kernel?._checkRoom()
    const timeout = new Timeout(callback, ms, kernel?._isUnref ? bits | UNREFERENCED : bits)
    if (kernel !== undefined) timeout._kernel = kernel
    if (args !== undefined) timeout._timerArgs = args
    if (options !== undefined && !options.drift) keepSteady(timeout)
    timeout._unit = timeout._kernel._set(timeout, ms)
    return timeout
  }

  // One function for one-shots and intervals, because a wake-up runs cold code.
  function expire(this: Timeout, unit: number): void {
    const kernel = this._kernel
    const state = this._state
    const isInterval = (state & REPEATS) !== 0 && unit === this._unit
    let started = 0
    if (isInterval) {
      started = beginRun(this, unit)
      kernel._keep(unit)
    } else {
      // Before the write, which throws if the program has frozen the handle.
      kernel._end(unit, (state & UNREFERENCED) === 0)
      // An interrupted call has set this unit, and the handle never got it.
      if (unit !== this._unit) return
      this._unit = 0
    }
    try {
      // The program can have deleted the callback.
      if (!this._onTimeout) this[CLEAR] = true
      else this.runInAsyncScope(kernel._catches ? callAndReport : callBack, this)
    } finally {
      if (isInterval) this._endRun(unit, started)
      // Otherwise the callback has set the timer again, or has ended it.
      else if (this._unit === 0 && this._state === ONCE) {
        this._state = DESTROYED
        this.emitDestroy()
      } else if (this._unit === 0 && (this._state & DESTROYED) === 0) this._done()
    }
  }

  function callBack(this: Timeout): void {
    const args = this._timerArgs
    if (args === undefined) this._onTimeout()
    else Reflect.apply(this._onTimeout, this, args)
  }

  // Reports within the scope, so that handlers of errors see the context of the callback.
  function callAndReport(this: Timeout): void {
    const args = this._timerArgs
    try {
      // As in `callBack`, without its frame on the stack.
      if (args === undefined) this._onTimeout()
      else Reflect.apply(this._onTimeout, this, args)
    } catch (error) {
      host.report(error)
    }
  }

  /** The first read of the shared kernel. Defines it on the prototype, so that this getter is not called again. */
  function kernelOfShared(): Kernel {
    const value = shared!()
    Object.defineProperty(prototype, '_kernel', { value })
    return value
  }

  function clearUnusual(value: Timeout): void {
    if (getPrototypeOf(value) !== prototype) return
    const state = value._state
    value._endUnit()
    value._state |= CLEARED
    value._onTimeout = clearedCallback as never
    if ((state & DESTROYED) === 0) value._done()
    else value._release()
  }

  function refreshUnusual<T extends Timeout>(value: T, delay: number | undefined): T {
    if (getPrototypeOf(value) !== prototype) throw notAHandle()
    value._setAgain(delay)
    return value
  }

  // So the constructor calls the host's at once. NodeFields has none of its own, and V8 would look for it each time.
  Object.setPrototypeOf(Timeout, Base)
  const { prototype } = Timeout
  Object.defineProperties(prototype, {
    [HANDLE_BRAND]: { value: true },
    _timerArgs: { value: undefined, writable: true },
    _extra: { value: undefined, writable: true },
    _expire: { value: expire },
  })
  // Not on `prototype` itself: to replace a getter there would make V8's access slow.
  if (shared !== undefined)
    Object.defineProperty(getPrototypeOf(prototype), '_kernel', { get: kernelOfShared })
  settleLayout(Timeout, Base)
  return { Timeout, make }
}
