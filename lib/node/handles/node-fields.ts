/**
 * What a handle shows. First our own fields about the deadline, then the undocumented fields of Node's timers, which some programs
 * read and few write. In Node they are plain fields. Here `_onTimeout` and `_timerArgs` are; `_idleTimeout`, `_idleStart`, `_repeat`,
 * `_destroyed`, `_idleNext` and `_idlePrev` are accessors: a read computes the value from the handle's state or reads the wheel, so that
 * a handle stores nothing more for them, and a write has the effect that it has in Node. The methods for the rare parts of a handle are
 * here too, because the fields use most of those parts.
 */
import { CLEAR } from '../../common/handle-brand.js'
import type { AsyncContextConstructor } from '../host/host.js'
import { setStartOf } from '../scheduler/at-time.js'
import { deadlineOf, remainingOf, startOf } from '../scheduler/looks.js'
import { applyRefresh, dueOf } from '../scheduler/refreshes.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { NOT_REFRESHABLE } from '../scheduler/timer-target.js'
import { numbered } from './numbers.js'
// biome-ignore format: a list of words
import {
  CLEARED, DESTROYED, type Extra, HAS_EXTRA, OVER, REPEATS, STATE_BITS, STATE_MASK, type TimeoutCallback, UNREFERENCED, type WheelTimeout,
} from './state.js'

/** `util.inspect`, which passes itself to the inspected object. */
type Inspect = (value: unknown, options: object) => string

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')

/** The fields that `util.inspect` shows: those of Node's handles, without the memory of the wheel. */
const SHOWN = [
  '_idleTimeout',
  '_idlePrev',
  '_idleNext',
  '_idleStart',
  '_onTimeout',
  '_timerArgs',
  '_repeat',
  '_destroyed',
] as const

/** Converts a written value to milliseconds; NaN if it is not a number. Like a write to a plain field, it never throws. */
function millisecondsOf(written: unknown): number {
  const isObject = typeof written === 'object' && written !== null
  return isObject || typeof written === 'symbol' || typeof written === 'bigint' ? Number.NaN : Number(written)
}

/** Adds the fields to a base of handles. */
export function nodeFields(Base: AsyncContextConstructor) {
  abstract class NodeFields extends Base {
    // The state of the handle: see state.ts. The first field is at the start of the object: refresh() reads nothing else.
    declare _order: number
    /** The delay in milliseconds. */
    declare _ms: number
    declare _onTimeout: TimeoutCallback
    declare _record: number
    // Most handles have no arguments and no rare parts, and use the shared wheel. They inherit the next fields from the prototype.
    declare _timerArgs: unknown[] | undefined
    declare _extra: Extra | undefined
    declare _scheduler: Scheduler
    abstract set [CLEAR](clearTimeout: true)
    abstract _self(): this & WheelTimeout

    get pending(): boolean {
      return this._record > STATE_MASK
    }

    get deadline(): number {
      return this.pending ? deadlineOf(this._scheduler, this._unit) : Number.NaN
    }

    get remaining(): number {
      return this.pending ? remainingOf(this._scheduler, this._unit) : Number.NaN
    }

    // What the scheduler reads of a handle: see timer-target.ts.

    get keepsRoom(): boolean {
      return !this.pending && (this._record & (REPEATS | CLEARED)) === REPEATS
    }

    get invocation(): WheelTimeout['invocation'] {
      return {
        callback: this._onTimeout as never,
        args: this._timerArgs ?? [],
        timeout: this as never,
        hasRef: (this._record & UNREFERENCED) === 0,
      }
    }

    get _unit(): number {
      return this._record >> STATE_BITS
    }

    /** Ends the timer in the wheel. */
    _endRecord(): void {
      const record = this._record
      if (record > STATE_MASK) this._scheduler.cancel(record >> STATE_BITS, (record & UNREFERENCED) === 0)
      this._record = record & STATE_MASK
      this._order = NOT_REFRESHABLE
    }

    /** Releases the arguments of a cleared timer, which will not run again. */
    _release(): void {
      if (this._timerArgs !== undefined) this._timerArgs = undefined
    }

    /** Reports to the async hooks that the timer is over. */
    _done(): void {
      const extra = this._extra
      if (extra !== undefined) numbered.delete(extra.id)
      this._record |= DESTROYED
      if ((this._record & CLEARED) !== 0) this._release()
      this.emitDestroy()
    }

    /** Writes the true deadline into the record, before the delay or its start changes. */
    _settle(): void {
      if (this._record > STATE_MASK) applyRefresh(this._scheduler, this._unit, this as never)
      this._order = NOT_REFRESHABLE
    }

    _addExtra(): Extra {
      if (this._extra === undefined) {
        this._extra = {
          id: 0,
          repeat: undefined,
          steady: undefined,
          resource: undefined,
        }
        this._record |= HAS_EXTRA
      }
      return this._extra
    }

    /** Returns the time from which the next run of an interval counts: the start of this run, or its due time. */
    _startOfRun(): number {
      const scheduler = this._scheduler
      const now = scheduler.now()
      const steady = this._extra?.steady
      if (steady === undefined) return now
      const delay = Math.max(scheduler.ticksOf(this._repeat!), 1)
      const missed = steady._begin(dueOf(scheduler, this._unit, now), now, delay)
      // It does not throw, although the program can have written other arguments.
      Reflect.set(Object(this._timerArgs), 0, missed)
      return steady._due
    }

    /** Ends a run of an interval. Returns whether it is one that does not drift. */
    _endSteadyRun(): boolean {
      const steady = this._extra?.steady
      if (steady === undefined) return false
      steady._end()
      Reflect.set(Object(this._timerArgs), 0, 0)
      return true
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
        this._ms = Math.max(Math.trunc(written), 1)
        this._record &= ~CLEARED
      } else {
        this._record |= CLEARED
      }
    }

    get _repeat(): number | null {
      if ((this._record & REPEATS) === 0) return null
      return this._extra?.repeat ?? this._ms
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
      return this._record <= STATE_MASK ? null : startOf(this._scheduler, this._unit, this as never)
    }

    set _idleStart(start: number | null) {
      if (this._record <= STATE_MASK || typeof start !== 'number') return
      const self = this._self()
      self._settle()
      self._extra?.steady?._restart()
      setStartOf(self._scheduler, self._unit, self, start)
    }

    get _destroyed(): boolean {
      return (this._record & DESTROYED) !== 0
    }

    /** Node's own `clearTimeout` writes this into a handle, and calls the async hooks itself. */
    set _destroyed(destroyed: boolean) {
      if (!destroyed || this._destroyed) return
      const self = this._self()
      if (self !== this) {
        self[CLEAR] = true
        return
      }
      this._endRecord()
      if (this._extra !== undefined) numbered.delete(this._extra.id)
      this._record |= OVER
    }

    // There is no list of timers here. Programs read these two to learn whether the timer is pending.

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

    /** Shows a handle one level deep, as Node does. Returns the fields if the runtime does not pass its `inspect`. */
    [inspectSymbol](_depth: number, options: object, inspect?: Inspect): unknown {
      const shown = Object.fromEntries(SHOWN.map((field) => [field, this[field]]))
      if (inspect === undefined) return shown
      return `Timeout ${inspect(shown, { ...options, depth: 0, customInspect: false })}`
    }
  }
  return NodeFields
}
