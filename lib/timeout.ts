/** The handle that `setTimeout` and `setInterval` return. */
import { coerceDelay } from './delay.js'
import { notAHandle } from './errors.js'
import {
  CLEARED,
  DESTROYED,
  HAS_EXTRA,
  ONCE,
  OVER,
  REPEATS,
  STATE_BITS,
  STATE_MASK,
  UNREFERENCED,
} from './handle_state.js'
import type { AsyncContext, AsyncContextConstructor, Host } from './host.js'
import { type Handle, NOT_POSTPONABLE, NOT_POSTPONED } from './occupants.js'
import { CLEAR, type Clearable, IS_OURS } from './ours.js'
import type { Scheduler } from './scheduler.js'
import { type Inspect, showTimeout } from './show_timeout.js'

// For programs that are compiled without the types of explicit resource management. The same as these have.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol
  }
  interface Disposable {
    [Symbol.dispose](): void
  }
}

/** A timer that has been set: what `setTimeout` and `setInterval` return. */
export interface Timeout extends Disposable {
  /** Keeps the event loop alive while this timer is pending, as it does from the start. Idempotent. */
  ref(): this
  /** Lets the process end although this timer is pending. Idempotent. */
  unref(): this
  /** Whether this timer keeps the event loop alive while it is pending. */
  hasRef(): boolean
  /**
   * Counts the delay anew from now; a timer that has run is set again; one that was cleared stays so. O(1).
   *
   * @param delay another delay from now on, in milliseconds, coerced as `setTimeout` does
   */
  refresh(delay?: number): this
  /** Clears the timer. */
  close(): this
  /** A number that `clearTimeout` takes in place of the handle. */
  [Symbol.toPrimitive](): number
  /** Clears the timer. */
  [Symbol.dispose](): void

  // What Node's timers carry as well, undocumented there: some programs read these, and few write them. Not in pages.

  /** The callback. What is assigned runs in its place. No longer there once the timer is cleared. */
  _onTimeout(...args: never[]): void
  /** The delay in milliseconds, a whole number; -1 once the timer is cleared. What is assigned counts from `refresh()` on. */
  _idleTimeout: number
  /**
   * When the delay of the pending timer began, in milliseconds since the process started; null while it is not pending.
   * What is assigned moves the pending timer; it still never runs in the pass that is under way.
   */
  _idleStart: number | null
  /** The milliseconds between two runs of an interval; null: it is none, or runs no more than once again. */
  _repeat: number | null
  /** Whether the timer is over: it has run or is cleared, and was not set again. */
  _destroyed: boolean
}

/** What `clearTimeout` takes besides numbers: our handles, and Node's. */
export interface TimeoutLike {
  ref(): unknown
  unref(): unknown
  hasRef(): boolean
}

type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** A handle as the wheel makes it. */
export interface OwnTimeout extends Timeout, Handle, Clearable {
  /** Ends a timer whose record is gone already: its wheel was stopped. */
  detach(): { callback: (...args: unknown[]) => unknown; args: unknown[] }
}

export type TimeoutConstructor = new (
  callback: TimeoutCallback,
  delay: unknown,
  state: typeof ONCE | typeof REPEATS,
  args?: unknown[],
  scheduler?: Scheduler,
) => OwnTimeout

/** The classes of a host's handles. */
export interface TimeoutClasses {
  /** Callbacks run in the async context they were set in, where the host has such. */
  readonly context: TimeoutConstructor
  /** Callbacks run without any. */
  readonly plain: TimeoutConstructor
}

const ASYNC_OPTIONS = { requireManualDestroy: true }
/** Numbers for handles that have no async id. Above those of any host's timers. */
let lastPlainId = 2 ** 40

// Numbers are known from when they are first asked for until the timer is done.
const known = new Map<number, OwnTimeout>()

const { getPrototypeOf } = Object

/** Clears by number or numeric string. What is none of ours is the host's; what is done is passed over in silence. */
export function clearOther(timeout: unknown, host: Host): void {
  if (!clearById(timeout)) host.clearForeign(timeout)
}

/** Whether `id` is a number of ours. */
function clearById(id: unknown): boolean {
  if (typeof id !== 'number' && typeof id !== 'string') return false
  // As a key, not as a number: ' 7' is no id.
  const timeout = String(Number(id)) === String(id) ? known.get(Number(id)) : undefined
  timeout?.close()
  return timeout !== undefined
}

/** What few handles have. */
interface Extra {
  /** The number that stands for the handle, or 0 while nobody has asked for it. */
  id: number
  args: unknown[] | undefined
  /** The delay between the next runs of an interval, where it is another than the one that is under way. */
  repeat: number | undefined
}

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')
const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')

export function timeoutClasses(host: Host): TimeoutClasses {
  // Made when they are first needed: a program that imports the package has no use of most.
  const classes = {}
  defineOnce(classes, 'context', () => contextTimeoutClass(host))
  defineOnce(classes, 'plain', () => plainTimeoutClass(host))
  return classes as TimeoutClasses
}

/** For handles without a context. */
class NoContext implements AsyncContext {
  runInAsyncScope<R>(fn: (...args: unknown[]) => R, self?: unknown): R {
    return fn.call(self)
  }
  asyncId(): number {
    return ++lastPlainId
  }
  emitDestroy(): void {}
}

/**
 * The class of handles whose callbacks run in their context.
 *
 * @param shared opens the scheduler of all of them, where they have the same, when it is first needed. It is not a field of
 *   the handle then: in a program with many timers, reading that is a cache miss
 */
export function contextTimeoutClass(host: Host, shared?: () => Scheduler): TimeoutConstructor {
  return timeoutClass(host, host.AsyncContext, shared)
}

function plainTimeoutClass(host: Host, shared?: () => Scheduler): TimeoutConstructor {
  return timeoutClass(host, NoContext, shared)
}

/** A destroyed handle, which a program may keep, does not keep the stores of its context. */
function releaseStores(prototype: AsyncContext, key: symbol): void {
  const { emitDestroy } = prototype
  const value = function (this: AsyncContext & Record<symbol, unknown>) {
    this[key] = undefined
    return emitDestroy.call(this)
  }
  // As a class has its methods: `for...in` over a handle passes over it.
  Object.defineProperty(prototype, 'emitDestroy', { value, writable: true, configurable: true })
}

/** What a program has written into a field. As Node's fields are plain, writing never throws: what is no number is NaN. */
function millisecondsOf(written: unknown): number {
  const isObject = typeof written === 'object' && written !== null
  return isObject || typeof written === 'symbol' || typeof written === 'bigint' ? Number.NaN : Number(written)
}

/** Defines a property whose value is made when it is first read. */
function defineOnce(object: object, name: string, make: () => unknown): void {
  const get = () => {
    const value = make()
    Object.defineProperty(object, name, { value })
    return value
  }
  Object.defineProperty(object, name, { get, configurable: true })
}

/** The beginning of a handle of each class. */
const samples: object[] = []

/**
 * Settles how V8 lays out the handles of a class, and keeps one, as a layout that no object has is forgotten.
 *
 * It is about the async ids, which a host writes into each: V8 has seen them come from a Float64Array, and would keep each
 * in a box of 16 bytes. A field that has once held something else holds small integers as such.
 */
function settleLayout(Timeout: TimeoutConstructor, Base: AsyncContextConstructor): void {
  // Nothing but a constructor makes one; the async hooks may see this.
  const made: object = Reflect.construct(Base, ['timeout-wheel', ASYNC_OPTIONS], Timeout)
  const sample = made as Record<string | symbol, unknown>
  for (const key of Object.getOwnPropertySymbols(sample)) {
    const value = sample[key]
    if (typeof value !== 'number') continue
    sample[key] = undefined
    sample[key] = value
  }
  samples.push(sample)
}

function timeoutClass(
  host: Host,
  Base: AsyncContextConstructor,
  shared: (() => Scheduler) | undefined,
): TimeoutConstructor {
  const { clearedCallback, storesKey } = host

  // Ordinary properties, not private ones: they are cheaper to make.
  class Timeout extends Base implements OwnTimeout {
    // First, where the object begins: refresh() looks at nothing else.
    declare _order: number
    /** The delay in milliseconds. */
    declare _ms: number
    declare _onTimeout: TimeoutCallback
    /** The record's unit, or 0 while the timer is not pending; and below it the state. */
    declare private _record: number
    // The prototype's, where a handle has none of its own: most have no arguments, and share one wheel.
    /** The arguments, or the `Extra`, which then has them. */
    declare private _rest: unknown[] | Extra | undefined
    declare private _scheduler: Scheduler
    declare readonly [IS_OURS]: true

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
      this._order = NOT_POSTPONED
      // biome-ignore lint/complexity/noUselessThisAlias: in a derived class `this` is checked at each use
      const self = this
      self._ms = ms
      self._onTimeout = callback
      const scheduler = own ?? self._scheduler
      // Last: no call may come between the timer's start and the end of this.
      self._record = state | (scheduler.arm(0, self, ms) << STATE_BITS)
      if (own !== undefined) self._scheduler = own
      if (args !== undefined) self._rest = args
    }

    ref(): this {
      const self = this._self()
      if ((self._record & UNREFERENCED) !== 0) {
        if (self._record > STATE_MASK) self._scheduler.reference()
        self._record &= ~UNREFERENCED
      }
      return this
    }

    unref(): this {
      const self = this._self()
      if ((self._record & UNREFERENCED) === 0) {
        if (self._record > STATE_MASK) self._scheduler.unreference()
        self._record |= UNREFERENCED
      }
      return this
    }

    hasRef(): boolean {
      return (this._record & UNREFERENCED) === 0
    }

    refresh(delay?: number): this {
      const isUsual = this._order !== NOT_POSTPONABLE && delay === undefined
      // Costs nothing: V8 knows the prototype from the object's shape.
      if (isUsual && getPrototypeOf(this) === prototype) this._scheduler.postpone(this)
      else this._self()._setAgain(delay)
      return this
    }

    close(): this {
      this[CLEAR] = true
      return this
    }

    set [CLEAR](_clearTimeout: true) {
      const record = this._record
      // The last: it is no handle, but an object that inherits from one. Costs nothing: V8 knows it from the object's shape.
      if (!(record > STATE_MASK) || (record & STATE_MASK) !== ONCE || getPrototypeOf(this) !== prototype) {
        this._clearUnusual()
        return
      }
      this._scheduler.release(record >> STATE_BITS, true)
      this._record = OVER
      this._order = NOT_POSTPONABLE
      this._onTimeout = clearedCallback as never
      if (this._rest !== undefined) this._rest = undefined
      this.emitDestroy()
    }

    private _clearUnusual(): void {
      const self = this._self()
      if (self !== this) {
        self[CLEAR] = true
        return
      }
      const state = this._record
      this._endRecord()
      this._record |= CLEARED
      this._onTimeout = clearedCallback as never
      if ((state & DESTROYED) === 0) this._done()
      else this._release()
      if (state > STATE_MASK && !this.hasRef()) this._scheduler.releasedUnreferenced()
    }

    /**
     * The handle itself: this object may inherit from it, or be a proxy of it. What is written into such an object does
     * not reach the handle, or reaches it while the wheel knows another.
     *
     * @throws TypeError where there is none
     */
    private _self(): this {
      const record = this._record
      if (record > STATE_MASK) {
        const occupant = this._scheduler.occupantOf(record >> STATE_BITS)
        if (occupant === this) return this
        if (occupant instanceof Timeout && occupant._record === record) return occupant as this
        throw notAHandle()
      }
      let self = this
      while (getPrototypeOf(self) !== prototype) self = getPrototypeOf(self)
      return self
    }

    [Symbol.toPrimitive](): number {
      const self = this._self()
      const extra = self._addExtra()
      if (extra.id === 0) {
        extra.id = self.asyncId()
        if (!self._destroyed) known.set(extra.id, self)
      }
      return extra.id
    }

    [disposeSymbol](): void {
      this[CLEAR] = true
    }

    [inspectSymbol](_depth: number, options: object, inspect?: Inspect): unknown {
      return showTimeout(this, options, inspect)
    }

    expire(): void {
      const scheduler = this._scheduler
      const record = this._record
      const unit = record >> STATE_BITS
      const isReferenced = (record & UNREFERENCED) === 0
      // The next run of an interval counts from the start of this one.
      const started = (record & REPEATS) === 0 ? Number.NaN : scheduler.now()
      if ((record & REPEATS) === 0) scheduler.releaseDue(unit, isReferenced)
      else scheduler.park(unit, isReferenced, this)
      this._record = record & STATE_MASK
      this._order = NOT_POSTPONABLE
      // A program has taken it away.
      if (!this._onTimeout) {
        if (scheduler.parkedUnit !== 0) scheduler.giveUpParked()
        return this._done()
      }
      // Reported while the context is the callback's, where somebody handles it; else it is thrown on from where it was.
      const call = scheduler.reportsErrors || this._hasDomain() ? this._callAndReport : this._callBack
      scheduler.running = this
      try {
        this.runInAsyncScope(call, this)
      } finally {
        this._afterRun(started)
      }
    }

    resume(): void {
      this._afterRun(Number.NaN)
    }

    /** The callback may have cleared it, set it again, or made an interval of it. */
    private _afterRun(started: number): void {
      const scheduler = this._scheduler
      scheduler.running = undefined
      if ((this._record & (REPEATS | CLEARED)) === REPEATS) return this._repeatFrom(started)
      if (scheduler.parkedUnit !== 0) scheduler.giveUpParked()
      if (this._record <= STATE_MASK && (this._record & DESTROYED) === 0) this._done()
    }

    get countsWhileRunning(): boolean {
      return this._record <= STATE_MASK && (this._record & (UNREFERENCED | OVER)) === 0
    }

    detach(): ReturnType<OwnTimeout['detach']> {
      const detached = { callback: this._onTimeout as never, args: this._args() ?? [] }
      this._record = (this._record & STATE_MASK) | CLEARED
      this._order = NOT_POSTPONABLE
      this._done()
      return detached
    }

    get _idleTimeout(): number {
      return (this._record & CLEARED) === 0 ? this._ms : -1
    }

    set _idleTimeout(ms: number) {
      const self = this._self()
      if (self !== this) {
        self._idleTimeout = ms
        return
      }
      this._settle()
      if (this._repeat !== null) this._addExtra().repeat = this._repeat
      const written = millisecondsOf(ms)
      if (written >= 0) {
        this._record &= ~CLEARED
        this._ms = Math.max(Math.trunc(written), 1)
      } else {
        this._record |= CLEARED
      }
    }

    get _repeat(): number | null {
      if ((this._record & REPEATS) === 0) return null
      return this._extra()?.repeat ?? this._ms
    }

    set _repeat(ms: number | null) {
      const self = this._self()
      const written = millisecondsOf(ms)
      if (written > 0) {
        self._addExtra().repeat = Math.max(Math.trunc(written), 1)
        self._record |= REPEATS
      } else {
        self._record &= ~REPEATS
      }
    }

    get _idleStart(): number | null {
      return this._record <= STATE_MASK ? null : this._scheduler.startOf(this._unit, this)
    }

    set _idleStart(start: number | null) {
      if (this._record <= STATE_MASK || typeof start !== 'number') return
      const self = this._self()
      self._settle()
      self._scheduler.startFrom(self._unit, self, start)
    }

    get _timerArgs(): unknown[] | undefined {
      return this._args()
    }

    set _timerArgs(args: unknown[] | undefined) {
      this._self()._addExtra().args = args
    }

    get _destroyed(): boolean {
      return (this._record & DESTROYED) !== 0
    }

    /** What Node's own `clearTimeout` does to a handle: it tells the async hooks by itself. */
    set _destroyed(destroyed: boolean) {
      if (!destroyed || this._destroyed) return
      const self = this._self()
      if (self !== this) {
        self[CLEAR] = true
        return
      }
      this._endRecord()
      this._record |= OVER
      if ((this._record & HAS_EXTRA) !== 0) known.delete((this._rest as Extra).id)
    }

    // There is no list. Programs ask whether there is a next one to learn whether the timer is pending.

    get _idleNext(): unknown {
      return this._record <= STATE_MASK ? null : this
    }

    set _idleNext(value: unknown) {
      Object.defineProperty(this, '_idleNext', { value, writable: true, configurable: true })
    }

    get _idlePrev(): unknown {
      return this._record <= STATE_MASK ? null : this
    }

    set _idlePrev(value: unknown) {
      Object.defineProperty(this, '_idlePrev', { value, writable: true, configurable: true })
    }

    private get _unit(): number {
      return this._record >> STATE_BITS
    }

    private _setAgain(delay: number | undefined): void {
      const scheduler = this._scheduler
      const ms = delay === undefined ? this._ms : coerceDelay(delay, host)
      if ((this._record & CLEARED) !== 0 || scheduler.stopped) return
      const wasPending = this._record > STATE_MASK
      // Throws where the wheel is full: before anything has changed.
      const unit = scheduler.arm(this._unit, this, ms)
      const isReferenced = wasPending || (this._record & UNREFERENCED) === 0
      // A new record counts as one that has a reference.
      const state = isReferenced ? this._record & STATE_MASK : this._record & STATE_MASK & ~UNREFERENCED
      this._record = state | (unit << STATE_BITS)
      this._ms = ms
      this._order = NOT_POSTPONED
      if (delay !== undefined && this._repeat !== null) this._repeat = ms
      if (!isReferenced) this.unref()
      if (!wasPending && this._destroyed) this._revive()
    }

    /** Makes a new async resource of a timer that has run: in the context of this moment, with an id of its own. */
    private _revive(): void {
      // Nothing but a constructor makes one. The hooks see what it makes, which is a handle by its class alone.
      const resource: object = Reflect.construct(Base, ['Timeout', ASYNC_OPTIONS], Timeout)
      for (const key of Reflect.ownKeys(resource)) Reflect.set(this, key, Reflect.get(resource, key))
      this._record &= ~DESTROYED
      const extra = this._extra()
      if (extra !== undefined && extra.id !== 0) known.set(extra.id, this)
    }

    private _repeatFrom(started: number): void {
      const scheduler = this._scheduler
      if (scheduler.stopped) {
        if (!this._destroyed) this._done()
        return
      }
      const ms = this._repeat!
      const due = (Number.isNaN(started) ? scheduler.now() : started) + ms / scheduler.tick
      // Its callback may have refreshed it: that does not count.
      this._endRecord()
      this._ms = ms
      const unit = scheduler.restart(this, due, this.hasRef())
      this._record = (this._record & STATE_MASK) | (unit << STATE_BITS)
      this._order = NOT_POSTPONED
    }

    private _endRecord(): void {
      const record = this._record
      if (record > STATE_MASK) this._scheduler.release(record >> STATE_BITS, this.hasRef())
      this._record = record & STATE_MASK
      this._order = NOT_POSTPONABLE
    }

    /** Before what the record's deadline follows from is changed: it must no longer be found out later. */
    private _settle(): void {
      if (this._record > STATE_MASK) this._scheduler.settle(this._unit, this)
      this._order = NOT_POSTPONABLE
    }

    private _done(): void {
      this._record |= DESTROYED
      if ((this._record & HAS_EXTRA) !== 0) known.delete((this._rest as Extra).id)
      if ((this._record & CLEARED) !== 0) this._release()
      this.emitDestroy()
    }

    /** Lets go of the arguments of a timer that will not run again. */
    private _release(): void {
      if ((this._record & HAS_EXTRA) !== 0) (this._rest as Extra).args = undefined
      else if (this._rest !== undefined) this._rest = undefined
    }

    private _extra(): Extra | undefined {
      return (this._record & HAS_EXTRA) === 0 ? undefined : (this._rest as Extra)
    }

    private _args(): unknown[] | undefined {
      return (this._record & HAS_EXTRA) === 0
        ? (this._rest as unknown[] | undefined)
        : (this._rest as Extra).args
    }

    private _addExtra(): Extra {
      const known = this._extra()
      if (known !== undefined) return known
      const extra: Extra = { id: 0, args: this._args(), repeat: undefined }
      this._rest = extra
      this._record |= HAS_EXTRA
      return extra
    }

    /** Whether it was set in a domain, which `node:domain` writes on it. */
    private _hasDomain(): boolean {
      return (this as { domain?: unknown }).domain !== undefined
    }

    private _callBack(): void {
      const args = this._args()
      if (args === undefined) this._onTimeout()
      else Reflect.apply(this._onTimeout, this, args)
    }

    private _callAndReport(): void {
      try {
        this._callBack()
      } catch (error) {
        this._scheduler.running = undefined
        if (!host.report(error)) throw error
        this._scheduler.hasReported = true
      }
    }
  }
  const { prototype } = Timeout
  Object.defineProperty(prototype, IS_OURS, { value: true })
  Object.defineProperty(prototype, '_rest', { value: undefined, writable: true })
  if (storesKey !== undefined) releaseStores(prototype, storesKey)
  if (shared !== undefined) defineOnce(prototype, '_scheduler', shared)
  settleLayout(Timeout, Base)
  return Timeout
}
