/** The handle that `setTimeout` and `setInterval` return. */
import { coerceDelay } from './delay.js'
import { invalidCallback } from './errors.js'
import { CLEARED, DONE, HAS_EXTRA, ONCE, REPEATS, UNREFERENCED } from './handle_state.js'
import type { AsyncContext, AsyncContextConstructor, Host } from './host.js'
import { type Handle, NOT_POSTPONABLE, NOT_POSTPONED, type Scheduler } from './scheduler.js'

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
}

type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** A handle as the wheel makes it. */
export interface OwnTimeout extends Timeout, Handle {
  /** Ends a timer whose record is gone already: its wheel was stopped. */
  detach(): { callback: TimeoutCallback; args: unknown[] }
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
const NO_ARGS: unknown[] = []

/** Marks our handles, of whichever class. */
const CLEAR: unique symbol = Symbol('timeout-wheel.clear')

// Ids are given out when first asked for, and known until the timer is done.
let lastId = 0
const known = new Map<number, OwnTimeout>()

/** Clears by handle, number or numeric string. What is none of ours, or is done, is passed over in silence. */
export function clear(timeout: unknown): void {
  if (typeof timeout === 'object') (timeout as { [CLEAR]?: () => void } | null)?.[CLEAR]?.()
  else clearById(timeout)
}

function clearById(id: unknown): void {
  if (typeof id !== 'number' && typeof id !== 'string') return
  // As a key, not as a number: ' 7' is no id.
  if (String(Number(id)) === String(id)) known.get(Number(id))?.close()
}

/** What few handles have. */
interface Extra {
  /** The number that stands for the handle, or 0 while nobody has asked for it. */
  id: number
  /** Where the callback runs, captured when the timer was set again after it had run; undefined: the handle itself. */
  context: AsyncContext | undefined
  args: unknown[] | undefined
}

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')
const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')

export function timeoutClasses(host: Host): TimeoutClasses {
  return { context: contextTimeoutClass(host), plain: plainTimeoutClass(host) }
}

/**
 * The class of handles whose callbacks run in their context.
 *
 * @param shared opens the scheduler of all of them, where they have the same, when it is first needed. It is not a field of
 *   the handle then: in a program with many timers, reading that is a cache miss
 */
export function contextTimeoutClass(host: Host, shared?: () => Scheduler): TimeoutConstructor {
  if (host.AsyncContext === undefined) return plainTimeoutClass(host, shared)
  return timeoutClass(host, host.AsyncContext, shared, (context, callback, self, args) =>
    context.runInAsyncScope(callback as (...args: unknown[]) => unknown, self, ...(args ?? NO_ARGS)),
  )
}

function plainTimeoutClass(host: Host, shared?: () => Scheduler): TimeoutConstructor {
  class NoContext implements AsyncContext {
    runInAsyncScope<R>(): R {
      throw new Error('unreachable: a plain handle has no scope')
    }
    emitDestroy(): void {}
  }
  return timeoutClass(host, NoContext, shared, (_context, callback, self, args) =>
    args === undefined ? callback.call(self) : callback.apply(self, args as never[]),
  )
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

function timeoutClass(
  host: Host,
  Base: AsyncContextConstructor,
  shared: (() => Scheduler) | undefined,
  call: (
    context: AsyncContext,
    callback: TimeoutCallback,
    self: Timeout,
    args: unknown[] | undefined,
  ) => unknown,
): TimeoutConstructor {
  // Ordinary properties, not private ones: they are cheaper to make.
  class Timeout extends Base implements OwnTimeout {
    // First, where the object begins: refresh() looks at nothing else.
    declare _order: number
    /** The record, or 0 while the timer is not pending. */
    declare private _unit: number
    /** The delay in milliseconds, or `CLEARED` or `DONE`. */
    declare _ms: number
    declare private _state: number
    declare private _onTimeout: TimeoutCallback
    /** The arguments, or the `Extra`, which then has them. */
    declare private _timerArgs: unknown[] | Extra | undefined
    declare private _scheduler: Scheduler

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
      this._order = NOT_POSTPONED
      // biome-ignore lint/complexity/noUselessThisAlias: in a derived class `this` is checked at each use
      const self = this
      self._ms = ms
      self._state = state
      self._onTimeout = callback
      self._timerArgs = args
      if (own !== undefined) self._scheduler = own
      self._unit = self._scheduler.arm(0, self, ms)
    }

    ref(): this {
      if ((this._state & UNREFERENCED) !== 0) {
        this._state &= ~UNREFERENCED
        if (this._unit !== 0) this._scheduler.reference()
      }
      return this
    }

    unref(): this {
      if ((this._state & UNREFERENCED) === 0) {
        this._state |= UNREFERENCED
        if (this._unit !== 0) this._scheduler.unreference()
      }
      return this
    }

    hasRef(): boolean {
      return (this._state & UNREFERENCED) === 0
    }

    refresh(delay?: number): this {
      if (this._order !== NOT_POSTPONABLE && delay === undefined) this._scheduler.postpone(this)
      else this._setAgain(delay)
      return this
    }

    close(): this {
      this[CLEAR]()
      return this
    }

    [CLEAR](): void {
      const unit = this._unit
      if (unit === 0 || this._state !== ONCE) return this._clearUnusual()
      this._unit = 0
      this._ms = DONE
      this._order = NOT_POSTPONABLE
      this._scheduler.release(unit, true)
      this.emitDestroy()
    }

    private _clearUnusual(): void {
      if (this._ms < 0) return
      const unit = this._unit
      this._ms = unit === 0 ? CLEARED : DONE
      if (unit === 0) return
      this._unit = 0
      this._order = NOT_POSTPONABLE
      this._scheduler.release(unit, (this._state & UNREFERENCED) === 0)
      this._done()
    }

    [Symbol.toPrimitive](): number {
      const extra = this._addExtra()
      if (extra.id === 0) {
        extra.id = ++lastId
        // An interval is not done while its callback runs.
        if (this._unit !== 0 || ((this._state & REPEATS) !== 0 && this._ms > 0)) known.set(extra.id, this)
      }
      return extra.id
    }

    [disposeSymbol](): void {
      this[CLEAR]()
    }

    /** What util.inspect shows: not the wheel's memory. */
    [inspectSymbol](
      _depth: number,
      options: object,
      inspect?: (value: unknown, options: object) => string,
    ): unknown {
      const { _ms, _onTimeout, _state, _unit } = this
      const shown = {
        _idleTimeout: Math.max(_ms, -1),
        _onTimeout,
        _repeat: (_state & REPEATS) === 0 ? null : _ms,
        _destroyed: _unit === 0,
        hasRef: this.hasRef(),
      }
      return inspect === undefined ? shown : `Timeout ${inspect(shown, options)}`
    }

    expire(): void {
      const scheduler = this._scheduler
      const context = this._context()
      scheduler.release(this._unit, this.hasRef())
      this._unit = 0
      this._order = NOT_POSTPONABLE
      if ((this._state & REPEATS) === 0) {
        try {
          call(context, this._onTimeout, this, this._args())
        } finally {
          // Its callback may have set it again, in a context of its own.
          if (this._context() !== context) context.emitDestroy()
          else if (this._unit === 0) this._done()
        }
        return
      }
      // The next run counts from the start of this one.
      const started = scheduler.readClock()
      try {
        call(context, this._onTimeout, this, this._args())
      } finally {
        if (this._ms === CLEARED || (this._ms > 0 && scheduler.stopped)) this._done()
        else if (this._ms > 0 && this._unit === 0) {
          const due = started + this._ms / scheduler.tick
          this._unit = scheduler.startAt(this, due, this.hasRef())
          this._order = this._firstOrder()
        }
      }
    }

    detach(): { callback: TimeoutCallback; args: unknown[] } {
      this._unit = 0
      this._order = NOT_POSTPONABLE
      this._ms = DONE
      this._done()
      return { callback: this._onTimeout, args: this._args() ?? [] }
    }

    private _setAgain(delay: number | undefined): void {
      const scheduler = this._scheduler
      if (this._ms < 0 || scheduler.stopped) return
      if (delay !== undefined) this._ms = coerceDelay(delay, host)
      if (this._unit !== 0) {
        scheduler.arm(this._unit, this, this._ms)
        this._order = this._firstOrder()
        return
      }
      // Throws where the wheel is full: before anything has changed.
      this._unit = scheduler.arm(0, this, this._ms)
      this._order = this._firstOrder()
      if (!this.hasRef()) scheduler.unreference()
      const extra = this._addExtra()
      // An interval in its own callback goes on in the context it has.
      if ((this._state & REPEATS) === 0) extra.context = new Base('Timeout', ASYNC_OPTIONS)
      if (extra.id !== 0) known.set(extra.id, this)
    }

    private _firstOrder(): number {
      return this._ms <= this._scheduler.longestPostponed ? NOT_POSTPONED : NOT_POSTPONABLE
    }

    private _done(): void {
      if ((this._state & HAS_EXTRA) === 0) this.emitDestroy()
      else this._endExtra()
    }

    private _endExtra(): void {
      this._context().emitDestroy()
      known.delete(this._addExtra().id)
    }

    private _extra(): Extra | undefined {
      return (this._state & HAS_EXTRA) === 0 ? undefined : (this._timerArgs as Extra)
    }

    private _args(): unknown[] | undefined {
      return (this._state & HAS_EXTRA) === 0
        ? (this._timerArgs as unknown[] | undefined)
        : (this._timerArgs as Extra).args
    }

    private _addExtra(): Extra {
      const known = this._extra()
      if (known !== undefined) return known
      const extra: Extra = { id: 0, context: undefined, args: this._args() }
      this._timerArgs = extra
      this._state |= HAS_EXTRA
      return extra
    }

    private _context(): AsyncContext {
      return this._extra()?.context ?? this
    }
  }
  if (shared !== undefined) defineOnce(Timeout.prototype, '_scheduler', shared)
  return Timeout
}
