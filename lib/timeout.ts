/** The handle that `setTimeout` and `setInterval` return. */
import { coerceDelay } from './delay.js'
import { invalidCallback } from './errors.js'
import type { AsyncContext, AsyncContextConstructor, Host } from './host.js'
import { type Handle, NOT_POSTPONED, type Scheduler, USUAL } from './scheduler.js'

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

/** The scheduler of a class of handles that all have the same, once there is one. */
export interface Home {
  scheduler: Scheduler | undefined
}

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
}

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')
const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')

export function timeoutClasses(host: Host): TimeoutClasses {
  return { context: contextTimeoutClass(host), plain: plainTimeoutClass() }
}

/** The class of handles whose callbacks run in their context. `home`: where all of them are at home, if they are. */
export function contextTimeoutClass(host: Host, home?: Home): TimeoutConstructor {
  if (host.AsyncContext === undefined) return plainTimeoutClass(home)
  return timeoutClass(host.AsyncContext, home, (context, callback, self, args) =>
    context.runInAsyncScope(callback as (...args: unknown[]) => unknown, self, ...(args ?? NO_ARGS)),
  )
}

function plainTimeoutClass(home?: Home): TimeoutConstructor {
  class NoContext implements AsyncContext {
    runInAsyncScope<R>(): R {
      throw new Error('unreachable: a plain handle has no scope')
    }
    emitDestroy(): void {}
  }
  return timeoutClass(NoContext, home, (_context, callback, self, args) =>
    args === undefined ? callback.call(self) : callback.apply(self, args as never[]),
  )
}

function timeoutClass(
  Base: AsyncContextConstructor,
  home: Home | undefined,
  call: (
    context: AsyncContext,
    callback: TimeoutCallback,
    self: Timeout,
    args: unknown[] | undefined,
  ) => unknown,
): TimeoutConstructor {
  // Ordinary properties, not private ones: they are cheaper to make.
  return class Timeout extends Base implements OwnTimeout {
    declare private readonly _scheduler: Scheduler
    /** The record, or 0 while the timer is not pending. */
    declare private _unit: number
    /** The delay in milliseconds, or `CLEARED` or `DONE`. */
    declare _ms: number
    declare _due: number
    declare _order: number
    declare private readonly _onTimeout: TimeoutCallback
    declare private readonly _timerArgs: unknown[] | undefined
    declare private readonly _repeats: boolean
    declare private _referenced: boolean
    declare private _extra: Extra | undefined

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
      // What refresh() reads comes first, within one or two cache lines.
      this._unit = 0
      this._ms = ms
      this._scheduler = scheduler
      this._due = 0
      this._order = NOT_POSTPONED
      this._onTimeout = callback
      this._timerArgs = args.length === 0 ? undefined : args
      this._repeats = repeats
      this._referenced = true
      this._extra = undefined
      this._unit = scheduler.start(this, ms, true)
    }

    ref(): this {
      if (!this._referenced) {
        this._referenced = true
        if (this._unit !== 0) this._scheduler.reference()
      }
      return this
    }

    unref(): this {
      if (this._referenced) {
        this._referenced = false
        if (this._unit !== 0) this._scheduler.unreference()
      }
      return this
    }

    hasRef(): boolean {
      return this._referenced
    }

    refresh(delay?: number): this {
      const unit = this._unit
      // Not from the handle where it can be had elsewhere: the handle is a cache miss, and what does not wait for it can
      // be done while it is on its way.
      const scheduler = home?.scheduler ?? this._scheduler
      if (unit !== 0 && delay === undefined && scheduler.mode === USUAL) scheduler.postpone(unit, this)
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
      this._scheduler.release(unit, this._referenced)
      this._done()
    }

    [Symbol.toPrimitive](): number {
      this._extra ??= { id: 0, context: undefined }
      if (this._extra.id === 0) {
        this._extra.id = ++lastId
        // An interval is not done while its callback runs.
        if (this._unit !== 0 || (this._repeats && this._ms > 0)) known.set(this._extra.id, this)
      }
      return this._extra.id
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
      const { _ms, _onTimeout, _repeats, _referenced, _unit } = this
      const shown = {
        _idleTimeout: Math.max(_ms, -1),
        _onTimeout,
        _repeat: _repeats ? _ms : null,
        _destroyed: _unit === 0,
        hasRef: _referenced,
      }
      return inspect === undefined ? shown : `Timeout ${inspect(shown, options)}`
    }

    expire(): void {
      const scheduler = this._scheduler
      const context = this._extra?.context ?? this
      scheduler.release(this._unit, this._referenced)
      this._unit = 0
      if (!this._repeats) {
        try {
          call(context, this._onTimeout, this, this._timerArgs)
        } finally {
          // Its callback may have set it again, in a context of its own.
          if ((this._extra?.context ?? this) !== context) context.emitDestroy()
          else if (this._unit === 0) this._done()
        }
        return
      }
      // The next run counts from the start of this one.
      const started = scheduler.readClock()
      try {
        call(context, this._onTimeout, this, this._timerArgs)
      } finally {
        if (this._ms === CLEARED || (this._ms > 0 && scheduler.stopped)) this._done()
        else if (this._ms > 0 && this._unit === 0) {
          const due = started + this._ms / scheduler.tick
          this._unit = scheduler.startAt(this, due, this._referenced)
        }
      }
    }

    detach(): { callback: TimeoutCallback; args: unknown[] } {
      this._unit = 0
      this._ms = DONE
      this._done()
      return { callback: this._onTimeout, args: this._timerArgs ?? [] }
    }

    private _setAgain(delay: number | undefined): void {
      const scheduler = this._scheduler
      if (this._ms < 0 || scheduler.stopped) return
      if (delay !== undefined) this._ms = coerceDelay(delay, scheduler.host)
      this._order = NOT_POSTPONED
      if (this._unit !== 0) return scheduler.restart(this._unit, this._ms)
      this._extra ??= { id: 0, context: undefined }
      // An interval in its own callback goes on in the context it has.
      if (!this._repeats) this._extra.context = new Base(TYPE, ASYNC_OPTIONS)
      this._unit = scheduler.start(this, this._ms, this._referenced)
      if (this._extra.id !== 0) known.set(this._extra.id, this)
    }

    private _done(): void {
      const extra = this._extra
      ;(extra?.context ?? this).emitDestroy()
      if (extra !== undefined && extra.id !== 0) known.delete(extra.id)
    }
  }
}
