/** The handle that `setTimeout` and `setInterval` return. */
import { coerceDelay } from './delay.js'
import { invalidCallback } from './errors.js'
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
  scheduler: Scheduler,
  callback: TimeoutCallback,
  delay: unknown,
  repeats: boolean,
  args: unknown[],
) => OwnTimeout

/** The classes of a host's handles. */
export interface TimeoutClasses {
  /** Callbacks run in the async context they were set in, where the host has such. */
  readonly context: TimeoutConstructor
  /** Callbacks run without any. */
  readonly plain: TimeoutConstructor
}

const TYPE = 'Timeout'
/** In place of the delay: cleared while not pending, thus in its own callback or after it. */
const CLEARED = -1
/** In place of the delay: ended, and what goes with that has been done. */
const DONE = -2
// Bits of a handle's state. One word for all of them: a program may hold millions of handles.
const REPEATS = 1
const UNREFERENCED = 2
/** It has an `Extra`. */
const HAS_EXTRA = 4
const ASYNC_OPTIONS = { requireManualDestroy: true }
const NO_ARGS: unknown[] = []

/** Marks our handles, of whichever class. */
const CLEAR: unique symbol = Symbol('timeout-wheel.clear')

// Ids are given out when first asked for, and known until the timer is done.
let lastId = 0
const known = new Map<number, OwnTimeout>()

/** Clears by handle, number or numeric string. What is none of ours, or is done, is passed over in silence. */
export function clear(timeout: unknown): void {
  if (typeof timeout === 'object' && timeout !== null) {
    ;(timeout as { [CLEAR]?: () => void })[CLEAR]?.()
  } else {
    clearById(timeout)
  }
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
  return { context: contextTimeoutClass(host), plain: plainTimeoutClass() }
}

/**
 * The class of handles whose callbacks run in their context.
 *
 * @param only the scheduler of all of them, where they have the same: then it is not read from the handle, which in a
 *   program with many timers is a cache miss
 */
export function contextTimeoutClass(host: Host, only?: Scheduler): TimeoutConstructor {
  if (host.AsyncContext === undefined) return plainTimeoutClass(only)
  return timeoutClass(host.AsyncContext, only, (context, callback, self, args) =>
    context.runInAsyncScope(callback as (...args: unknown[]) => unknown, self, ...(args ?? NO_ARGS)),
  )
}

function plainTimeoutClass(only?: Scheduler): TimeoutConstructor {
  class NoContext implements AsyncContext {
    runInAsyncScope<R>(): R {
      throw new Error('unreachable: a plain handle has no scope')
    }
    emitDestroy(): void {}
  }
  return timeoutClass(NoContext, only, (_context, callback, self, args) =>
    args === undefined ? callback.call(self) : callback.apply(self, args as never[]),
  )
}

function timeoutClass(
  Base: AsyncContextConstructor,
  only: Scheduler | undefined,
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
    declare private readonly _onTimeout: TimeoutCallback
    /** The arguments, or the `Extra`, which then has them. */
    declare private _timerArgs: unknown[] | Extra | undefined
    declare private readonly _scheduler: Scheduler

    constructor(
      scheduler: Scheduler,
      callback: TimeoutCallback,
      delay: unknown,
      repeats: boolean,
      args: unknown[],
    ) {
      if (typeof callback !== 'function') throw invalidCallback(callback)
      const ms = coerceDelay(delay, scheduler.host)
      super(TYPE, ASYNC_OPTIONS)
      this._order = ms <= scheduler.longestPostponed ? NOT_POSTPONED : NOT_POSTPONABLE
      this._unit = 0
      this._ms = ms
      this._state = repeats ? REPEATS : 0
      this._onTimeout = callback
      this._timerArgs = args.length === 0 ? undefined : args
      if (only === undefined) this._scheduler = scheduler
      this._unit = scheduler.start(this, ms, true)
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
      if (delay !== undefined) this._ms = coerceDelay(delay, scheduler.host)
      if (this._unit !== 0) {
        scheduler.restart(this._unit, this._ms)
        this._order = this._firstOrder()
        return
      }
      const extra = this._addExtra()
      // An interval in its own callback goes on in the context it has.
      if ((this._state & REPEATS) === 0) extra.context = new Base(TYPE, ASYNC_OPTIONS)
      this._unit = scheduler.start(this, this._ms, this.hasRef())
      this._order = this._firstOrder()
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
  // Not a word of each handle, where all have the same.
  if (only !== undefined) Object.defineProperty(Timeout.prototype, '_scheduler', { value: only })
  return Timeout
}
