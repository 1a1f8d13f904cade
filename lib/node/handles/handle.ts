/**
 * The handle that `setTimeout` and `setInterval` return on Node. Its class extends one with the fields of Node's handles, which
 * extends Node's class for async contexts: `AsyncResource <- NodeFields <- Timeout`.
 *
 * `_record` holds the record's unit (0: the timer is not pending) above five bits of state (state.ts). The properties
 * are ordinary ones that begin with an underscore, because private ones cost more to create.
 */
import { invalidCallback, notAHandle } from '../../common/errors.js'
import { CLEAR, disposeSymbol, HANDLE_BRAND } from '../../common/symbols.js'
import type { Host } from '../host/node-host.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { NOT_REFRESHABLE, NOT_REFRESHED } from '../scheduler/timer-target.js'
import { ASYNC_OPTIONS, NoContext, settleLayout } from './base.js'
import { coerceDelay, orderOf } from './delay.js'
import { nodeFields } from './node-fields.js'
// biome-ignore format: a list of words
import {
  CLEARED, DESTROYED, numbered,ONCE, OVER, REPEATS, STATE_BITS, STATE_MASK, type TimeoutCallback, type TimeoutConstructor, UNREFERENCED,
  type WheelTimeout, 
} from './state.js'

const { getPrototypeOf } = Object

/**
 * Makes a class of handles. There are several, so that V8 sees one kind of object on each path.
 *
 * @param hasContext whether callbacks run in the async context of the call that set them
 * @param shared opens the scheduler that all handles of the class share, when it is first needed. Then the scheduler is a
 *   property of the prototype, not a field of the handle: with many timers the read of a field is a cache miss
 */
export function timeoutClass(host: Host, hasContext: boolean, shared?: () => Scheduler): TimeoutConstructor {
  const { clearedCallback } = host
  const Base = hasContext ? host.AsyncContext : NoContext

  class Timeout extends nodeFields(Base) implements WheelTimeout {
    declare readonly [HANDLE_BRAND]: true

    constructor(
      callback: TimeoutCallback,
      delay: unknown,
      state: number,
      args: unknown[] | undefined,
      own: Scheduler | undefined,
    ) {
      if (typeof callback !== 'function') throw invalidCallback(callback)
      const isUsual = typeof delay === 'number' && (delay | 0) === delay && delay > 0
      const ms = isUsual ? delay : coerceDelay(delay, host)
      super('Timeout', ASYNC_OPTIONS)
      this._order = NOT_REFRESHED
      // biome-ignore lint/complexity/noUselessThisAlias: a derived constructor checks `this` at each use
      const self = this
      self._ms = ms
      self._onTimeout = callback
      const scheduler = own ?? self._scheduler
      self._record = state | (scheduler.schedule(0, self, ms) << STATE_BITS)
      if (own !== undefined) self._scheduler = own
      if (args !== undefined) self._timerArgs = args
    }

    // The methods compare prototypes, because V8 knows the prototype from the object's shape. An object that inherits from a handle is
    // none: a write to it would not reach the handle. A proxy of a handle works, as Vue makes one of each handle in its state.

    ref(): this {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      if ((this._record & UNREFERENCED) !== 0) {
        if (this._record > STATE_MASK) this._scheduler.reference()
        this._record &= ~UNREFERENCED
      }
      return this
    }

    unref(): this {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      if ((this._record & UNREFERENCED) === 0) {
        if (this._record > STATE_MASK) this._scheduler.unreference()
        this._record |= UNREFERENCED
      }
      return this
    }

    hasRef(): boolean {
      // Not the prototype: tools of async hooks call it on the object that `_renewContext` makes.
      if (this[HANDLE_BRAND] !== true) throw notAHandle()
      return (this._record & UNREFERENCED) === 0
    }

    refresh(delay?: number): this {
      const isUsual = this._order !== NOT_REFRESHABLE && delay === undefined
      if (!isUsual || getPrototypeOf(this) !== prototype) return refreshUnusual(this, delay)
      this._scheduler.refresh(this)
      return this
    }

    close(): this {
      // Short, so that V8 inlines the setter.
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      this[CLEAR] = true
      return this
    }

    set [CLEAR](_clearTimeout: true) {
      const record = this._record
      if (!(record > STATE_MASK) || (record & STATE_MASK) !== ONCE || getPrototypeOf(this) !== prototype) {
        if (getPrototypeOf(this) === prototype) this._clearUnusual()
        return
      }
      this._scheduler.cancel(record >> STATE_BITS, true)
      this._record = OVER
      this._order = NOT_REFRESHABLE
      this._onTimeout = clearedCallback as never
      if (this._timerArgs !== undefined) this._timerArgs = undefined
      this.emitDestroy()
    }

    private _clearUnusual(): void {
      const state = this._record
      const scheduler = this._scheduler
      // An object that was made from the prototype may have no scheduler.
      const isOwnRun = scheduler?.stopped === false && scheduler.runningInterval === this && this.keepsRoom
      this._endRecord()
      this._record |= CLEARED
      if (isOwnRun) scheduler.totals.clearedRuns++
      this._onTimeout = clearedCallback as never
      if ((state & DESTROYED) === 0) this._done()
      else this._release()
    }

    [Symbol.toPrimitive](): number {
      if (getPrototypeOf(this) !== prototype) throw notAHandle()
      const extra = this._addExtra()
      if (extra.id === 0) {
        extra.id = this.asyncId()
        if (!this._destroyed) numbered.set(extra.id, this)
      }
      return extra.id
    }

    [disposeSymbol](): void {
      this.close()
    }

    expire(): void {
      const scheduler = this._scheduler
      const record = this._record
      const unit = record >> STATE_BITS
      const isReferenced = (record & UNREFERENCED) === 0
      const started = (record & REPEATS) === 0 ? Number.NaN : this._startOfRun()
      if ((record & REPEATS) === 0) scheduler.endDue(unit, isReferenced)
      else scheduler.endDueInterval(unit, isReferenced, this)
      this._record = record & STATE_MASK
      this._order = NOT_REFRESHABLE
      // The program has deleted the callback.
      if (!this._onTimeout) {
        if (scheduler.keptUnit !== 0) scheduler.freeKeptRecord()
        return this._done()
      }
      // If the program handles errors, report them in the callback's context. Otherwise let them pass without a catch.
      const call = scheduler.reportsErrors ? this._callAndReport : this._callBack
      try {
        this.runInAsyncScope(call, this)
      } finally {
        this._afterRun(started)
      }
    }

    /** Continues after the callback, which can have cleared the timer, set it again, or made it an interval. */
    private _afterRun(started: number): void {
      const scheduler = this._scheduler
      if ((this._record & (REPEATS | CLEARED)) === REPEATS) return this._repeatFrom(started)
      if (scheduler.keptUnit !== 0) scheduler.freeKeptRecord()
      if (this._record <= STATE_MASK && (this._record & DESTROYED) === 0) this._done()
    }

    detach(): void {
      // It cannot show that its wheel was stopped.
      if (Object.isFrozen(this)) return
      this._record = (this._record & STATE_MASK) | CLEARED
      this._order = NOT_REFRESHABLE
      if (!this._destroyed) this._done()
    }

    /** Schedules the timer again: `refresh` of an unusual timer or with a delay. */
    _setAgain(delay: unknown): void {
      const scheduler = this._scheduler
      const ms = delay === undefined ? this._ms : coerceDelay(delay, host)
      if ((this._record & CLEARED) !== 0 || scheduler.stopped) return
      const isReferenced = this._record > STATE_MASK || (this._record & UNREFERENCED) === 0
      const isOwnRun = this._record <= STATE_MASK && scheduler.runningInterval === this
      const wasDestroyed = this._destroyed
      const extra = this._extra
      const unit = scheduler.schedule(this._unit, this, ms)
      // A new record counts as referenced.
      const state = isReferenced ? this._record & STATE_MASK : this._record & STATE_MASK & ~UNREFERENCED
      this._record = (state & ~DESTROYED) | (unit << STATE_BITS)
      this._ms = ms
      this._order = orderOf(ms)
      if (isOwnRun) scheduler.totals.ownRefreshes++
      extra?.steady?._restart()
      if (extra?.id) numbered.set(extra.id, this)
      if (!isReferenced) this.unref()
      if (!wasDestroyed) return
      this._renewContext()
    }

    /** Makes a timer that has run a new async resource, with the present context and a new id. */
    private _renewContext(): void {
      // Only a constructor makes a resource. The hooks see the object that it makes, which is a handle only by its class.
      const resource: object = Reflect.construct(Base, ['Timeout', ASYNC_OPTIONS], Timeout)
      for (const key of Reflect.ownKeys(resource)) Reflect.set(this, key, Reflect.get(resource, key))
      // Its `hasRef` is the present one of the handle.
      Reflect.set(resource, '_record', this._record & STATE_MASK)
    }

    /** Schedules the next run of an interval, which counts from the time that `_startOfRun` has returned. */
    private _repeatFrom(started: number): void {
      const scheduler = this._scheduler
      if (scheduler.stopped) {
        if (!this._destroyed) this._done()
        return
      }
      const ms = this._ms
      const due = (Number.isNaN(started) ? scheduler.now() : started) + scheduler.ticksOf(ms)
      // A refresh by its own callback does not count.
      const dropped = this._record > STATE_MASK ? 1 : 0
      this._endRecord()
      scheduler.totals.droppedRefreshes += dropped
      const isSteady = this._endSteadyRun()
      const unit = scheduler.scheduleNextRun(this, due, this.hasRef())
      this._record = (this._record & STATE_MASK) | (unit << STATE_BITS)
      this._order = isSteady ? NOT_REFRESHABLE : orderOf(ms)
    }

    private _callBack(): void {
      const args = this._timerArgs
      if (args === undefined) this._onTimeout()
      else Reflect.apply(this._onTimeout, this, args)
    }

    private _callAndReport(): void {
      try {
        this._callBack()
      } catch (error) {
        this._scheduler.host.report(error)
      }
    }
  }
  function refreshUnusual<T extends Timeout>(value: T, delay: number | undefined): T {
    if (getPrototypeOf(value) !== prototype) throw notAHandle()
    value._setAgain(delay)
    return value
  }

  const { prototype } = Timeout
  Object.defineProperties(prototype, {
    [HANDLE_BRAND]: { value: true },
    _timerArgs: { value: undefined, writable: true },
    _extra: { value: undefined, writable: true },
  })
  if (shared !== undefined) {
    const get = () => {
      const value = shared()
      Object.defineProperty(prototype, '_scheduler', { value })
      return value
    }
    Object.defineProperty(prototype, '_scheduler', { get, configurable: true })
  }
  settleLayout(Timeout, Base)
  return Timeout
}
