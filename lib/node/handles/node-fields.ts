/**
 * What a handle shows. First our own fields about the deadline, then the undocumented fields of Node's timers that programs read. In Node
 * they are plain fields. Here `_onTimeout` and `_timerArgs` are; `_idleTimeout`, `_idleStart`, `_repeat` and `_destroyed` are accessors:
 * a read computes the value from the handle's state or reads the wheel, so that a handle stores nothing more for them. A write to
 * `_idleTimeout` or `_repeat` does nothing. The methods for the rare parts of a handle are here too.
 */
import { CLEAR } from '../../common/symbols.js'
import type { AsyncContextConstructor } from '../host/node-host.js'
import { setStartOf } from '../scheduler/at-time.js'
import { deadlineOf, remainingOf, startOf } from '../scheduler/looks.js'
import { applyRefresh, dueOf } from '../scheduler/refreshes.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { NOT_REFRESHABLE } from '../scheduler/timer-target.js'
// biome-ignore format: a list of words
import {
  CLEARED, DESTROYED, type Extra, HAS_EXTRA, numbered,OVER, REPEATS, STATE_BITS, STATE_MASK, type TimeoutCallback, UNREFERENCED,
  type WheelTimeout, 
} from './state.js'

/** `util.inspect`, which passes itself to the inspected object. */
type Inspect = (value: unknown, options: object) => string

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')

/** The fields that `util.inspect` shows: those of Node's handles, without the memory of the wheel. */
const SHOWN = ['_idleTimeout', '_idleStart', '_onTimeout', '_timerArgs', '_repeat', '_destroyed'] as const

/** Whether a value is a handle, and not an object that inherits from one. */
const isHandle = (value: object): boolean => Object.hasOwn(value, '_record')

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

    _addExtra(): Extra {
      if (this._extra === undefined) {
        this._extra = {
          id: 0,
          steady: undefined,
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
      const delay = Math.max(scheduler.ticksOf(this._ms), 1)
      const missed = steady._begin(dueOf(scheduler, this._unit), now, delay)
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

    set _idleTimeout(_ms: number) {}

    get _repeat(): number | null {
      return (this._record & REPEATS) === 0 ? null : this._ms
    }

    set _repeat(_ms: number | null) {}

    get _idleStart(): number | null {
      return this._record <= STATE_MASK ? null : startOf(this._scheduler, this._unit, this as never)
    }

    /** Next.js 16 gives some of its timers the start of another one, so that they run in one turn. */
    set _idleStart(start: number | null) {
      if (!isHandle(this) || this._record <= STATE_MASK || typeof start !== 'number') return
      applyRefresh(this._scheduler, this._unit, this as never)
      this._order = NOT_REFRESHABLE
      this._extra?.steady?._restart()
      setStartOf(this._scheduler, this._unit, this as never, start)
    }

    get _destroyed(): boolean {
      return (this._record & DESTROYED) !== 0
    }

    /** Node's own `clearTimeout` writes this into a handle, and calls the async hooks itself. */
    set _destroyed(destroyed: boolean) {
      if (!destroyed || this._destroyed || !isHandle(this)) return
      this._endRecord()
      if (this._extra !== undefined) numbered.delete(this._extra.id)
      this._record |= OVER
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
