/**
 * The handle that `setTimeout` and `setInterval` return on Node. Its class extends one with the fields of Node's handles, which
 * extends Node's class for async contexts: `AsyncResource <- NodeFields <- Timeout`.
 *
 * `_record` holds the record's unit (0: the timer is not pending) above five bits of state (state.ts). The properties
 * are ordinary ones that begin with an underscore, because private ones cost more to create.
 */
import { disposeSymbol } from '../../common/dispose.js'
import { isRefusal, notAHandle } from '../../common/errors.js'
import { CLEAR, HANDLE_BRAND } from '../../common/handle-brand.js'
import type { Host } from '../host/host.js'
import { onDemand } from '../on-demand/load.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { NOT_REFRESHABLE, NOT_REFRESHED } from '../scheduler/timer-target.js'
import { ASYNC_OPTIONS, NoContext, settleLayout } from './base.js'
import { coerceDelay, MAX_TIMEOUT } from './delay.js'
import type { Method } from './foreign-this.js'
import { nodeFields } from './node-fields.js'
import { numbered } from './numbers.js'
// biome-ignore format: a list of words
import {
  CLEARED, DESTROYED, ONCE, OVER, REPEATS, STATE_BITS, STATE_MASK, type TimeoutCallback, type TimeoutConstructor, UNREFERENCED,
  type WheelTimeout,
} from './state.js'

const { getPrototypeOf } = Object

/** Whether a value is no handle, does not inherit from one, and is no proxy of one. */
function isForeign(value: unknown): boolean {
  // Not `value?.`, which V8 compiles to slower code.
  if (value === undefined || value === null) return true
  const handle = value as { [HANDLE_BRAND]?: true; _record?: number }
  if (handle[HANDLE_BRAND] !== true) return true
  // The prototype of the handles, which has the brand itself. While async hooks see a new handle, it has no record either.
  return handle._record === undefined && Object.hasOwn(handle, HANDLE_BRAND)
}

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
  const callForeign = (method: Method, value: unknown): unknown => onDemand().callForeign(host, method, value)

  class Timeout extends nodeFields(Base) implements WheelTimeout {
    declare readonly [HANDLE_BRAND]: true

    constructor(
      callback: TimeoutCallback,
      delay: unknown,
      state: number,
      args: unknown[] | undefined,
      own: Scheduler | undefined,
    ) {
      if (typeof callback !== 'function') throw host.invalidCallback(callback)
      const isUsual = typeof delay === 'number' && (delay | 0) === delay && delay > 0
      const ms = isUsual ? delay : coerceDelay(delay, host)
      super('Timeout', ASYNC_OPTIONS)
      this._order = NOT_REFRESHED
      // biome-ignore lint/complexity/noUselessThisAlias: a derived constructor checks `this` at each use
      const self = this
      self._ms = ms
      self._onTimeout = callback
      const scheduler = own ?? self._scheduler
      // No other call follows, because its interruption would lose the record.
      self._record = state | (scheduler.schedule(0, self, ms) << STATE_BITS)
      if (own !== undefined) self._scheduler = own
      if (args !== undefined) self._timerArgs = args
    }

    ref(): this {
      if (isForeign(this)) return callForeign('ref', this) as this
      const self = this._self()
      if ((self._record & UNREFERENCED) !== 0) {
        if (self._record > STATE_MASK) self._scheduler.reference()
        self._record &= ~UNREFERENCED
      }
      return this
    }

    unref(): this {
      if (isForeign(this)) return callForeign('unref', this) as this
      const self = this._self()
      if ((self._record & UNREFERENCED) === 0) {
        if (self._record > STATE_MASK) self._scheduler.unreference()
        self._record |= UNREFERENCED
      }
      return this
    }

    hasRef(): boolean {
      if (isForeign(this)) return callForeign('hasRef', this) as boolean
      return (this._record & UNREFERENCED) === 0
    }

    refresh(delay?: number): this {
      // Not `this?.`, which would make the refresh three times slower.
      if (this === undefined || this === null) return refreshUnusual(this, delay)
      const isUsual = this._order !== NOT_REFRESHABLE && delay === undefined
      // The comparison is free, because V8 knows the prototype from the object's shape.
      if (!isUsual || getPrototypeOf(this) !== prototype) return refreshUnusual(this, delay)
      this._scheduler.refresh(this)
      return this
    }

    close(): this {
      // Short, so that V8 inlines the setter.
      if (this === undefined || this === null) return closeUnusual(this)
      if (!(this._record > STATE_MASK) || getPrototypeOf(this) !== prototype) return closeUnusual(this)
      this[CLEAR] = true
      return this
    }

    set [CLEAR](_clearTimeout: true) {
      const record = this._record
      // The last comparison finds objects that inherit from a handle. It is free, as in refresh().
      if (!(record > STATE_MASK) || (record & STATE_MASK) !== ONCE || getPrototypeOf(this) !== prototype) {
        this._clearUnusual()
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
      const self = this._self()
      if (self !== this) {
        self[CLEAR] = true
        return
      }
      const state = this._record
      const scheduler = this._scheduler
      // An object that only looks like a handle may have no scheduler.
      const isOwnRun = scheduler?.stopped === false && scheduler.runningInterval === this && this.keepsRoom
      this._endRecord()
      this._record |= CLEARED
      if (isOwnRun) scheduler.totals.clearedRuns++
      this._onTimeout = clearedCallback as never
      if ((state & DESTROYED) === 0) this._done()
      else this._release()
    }

    /**
     * Returns the handle for `this`, which can also be an object that inherits from a handle, or a proxy of one. A write to
     * such an object does not change the fields of the handle.
     *
     * @throws TypeError if `this` neither is a handle nor inherits from one
     */
    _self(): this {
      const record = this._record
      if (record > STATE_MASK) {
        const target = this._scheduler.targetOf(record >> STATE_BITS)
        if (target === this) return this
        if (target instanceof Timeout && target._record === record) return target as this
        throw notAHandle()
      }
      let self = this
      while (getPrototypeOf(self) !== prototype) self = getPrototypeOf(self)
      const running = this._scheduler?.runningInterval
      const canBeProxy = running instanceof Timeout && running !== self && running._record === self._record
      // No other handle has the same extra parts.
      return canBeProxy && running._addExtra() === self._extra ? (running as this) : self
    }

    [Symbol.toPrimitive](): number {
      if (isForeign(this)) return callForeign(Symbol.toPrimitive, this) as number
      const self = this._self()
      const extra = self._addExtra()
      if (extra.id === 0) {
        const id = self.asyncId()
        // In this order: after an interruption, `clearTimeout` finds each handle that has a number.
        if (!self._destroyed) numbered.set(id, self)
        extra.id = id
      }
      return extra.id
    }

    [disposeSymbol](): void {
      if (isForeign(this)) callForeign(disposeSymbol, this)
      else this[CLEAR] = true
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

    resume(): void {
      this._afterRun(this._extra?.steady?._due ?? Number.NaN)
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
    _setAgain(delay: number | undefined): void {
      const scheduler = this._scheduler
      const ms = delay === undefined ? this._ms : coerceDelay(delay, host)
      if ((this._record & CLEARED) !== 0 || scheduler.stopped) return
      const isReferenced = this._record > STATE_MASK || (this._record & UNREFERENCED) === 0
      const isOwnRun = this._record <= STATE_MASK && scheduler.runningInterval === this
      const wasDestroyed = this._destroyed
      const extra = this._extra
      const number = extra?.id
      if (number) numbered.set(number, this)
      extra?.steady?._restart()
      let unit: number
      try {
        unit = scheduler.schedule(this._unit, this, ms)
      } catch (error) {
        // After an interruption the number stays, because the timer can be pending.
        if (wasDestroyed && isRefusal(error)) numbered.delete(number!)
        throw error
      }
      // A new record counts as referenced.
      const state = isReferenced ? this._record & STATE_MASK : this._record & STATE_MASK & ~UNREFERENCED
      this._record = (state & ~DESTROYED) | (unit << STATE_BITS)
      this._ms = ms
      this._order = ms > MAX_TIMEOUT ? NOT_REFRESHABLE : NOT_REFRESHED
      if (isOwnRun) scheduler.totals.ownRefreshes++
      if (delay !== undefined && this._repeat !== null) this._repeat = ms
      if (!isReferenced) this.unref()
      if (!wasDestroyed) return
      this._renewContext()
    }

    /** Makes a timer that has run a new async resource, with the present context and a new id. */
    private _renewContext(): void {
      // Only a constructor makes a resource. The hooks see the object that it makes, which is a handle only by its class.
      const resource: object = Reflect.construct(Base, ['Timeout', ASYNC_OPTIONS], Timeout)
      for (const key of Reflect.ownKeys(resource)) Reflect.set(this, key, Reflect.get(resource, key))
      if (!host.hasAsyncHooks()) return
      // Its `hasRef` is that of the handle, and tools can refer to it weakly.
      Object.setPrototypeOf(resource, this)
      this._addExtra().resource = resource
    }

    /** Schedules the next run of an interval, which counts from the time that `_startOfRun` has returned. */
    private _repeatFrom(started: number): void {
      const scheduler = this._scheduler
      if (scheduler.stopped) {
        if (!this._destroyed) this._done()
        return
      }
      const ms = this._repeat!
      const due = (Number.isNaN(started) ? scheduler.now() : started) + scheduler.ticksOf(ms)
      // A refresh by its own callback does not count.
      const dropped = this._record > STATE_MASK ? 1 : 0
      this._endRecord()
      scheduler.totals.droppedRefreshes += dropped
      this._ms = ms
      const isSteady = this._endSteadyRun()
      const unit = scheduler.scheduleNextRun(this, due, this.hasRef())
      this._record = (this._record & STATE_MASK) | (unit << STATE_BITS)
      this._order = isSteady || ms > MAX_TIMEOUT ? NOT_REFRESHABLE : NOT_REFRESHED
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
    if (isForeign(value)) return callForeign('refresh', value) as T
    value._self()._setAgain(delay)
    return value
  }

  function closeUnusual<T extends Timeout>(value: T): T {
    if (isForeign(value)) return callForeign('close', value) as T
    value[CLEAR] = true
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
