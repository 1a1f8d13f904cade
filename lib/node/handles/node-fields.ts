/**
 * What a handle shows. First our own fields about the due time, then the undocumented fields of Node's timers that programs read. In Node
 * they are plain fields. Here `_onTimeout` and `_timerArgs` are; `_idleTimeout`, `_idleStart`, `_repeat` and `_destroyed` are accessors:
 * a read computes the value, so that a handle stores nothing more for them. A write to `_idleTimeout` or `_repeat` does nothing. A write to
 * `_destroyed` ends the timer, so the methods for its end are here too.
 */
import { CLEARED, REPEATS, UNREFERENCED } from '../../common/constants.js'
import { CLEAR } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'
import type { Shown } from '../../kernel/target.js'
import type { AsyncContextConstructor } from '../host/node-host.js'
import { type Extra, numbered } from './extra.js'
import { DESTROYED, type TimeoutCallback } from './state.js'

/** `util.inspect`, which passes itself to the inspected object. */
type Inspect = (value: unknown, options: object) => string

const inspectSymbol = Symbol.for('nodejs.util.inspect.custom')

/** The fields that `util.inspect` shows: those of Node's handles, without the memory of the wheel. */
const SHOWN = ['_idleTimeout', '_idleStart', '_onTimeout', '_timerArgs', '_repeat', '_destroyed'] as const

/** Whether a value is a handle, and not an object that inherits from one. The methods compare prototypes, but no class is known here. */
const isHandle = (value: object): boolean => Object.hasOwn(value, '_unit')

/** Adds the fields to a base of handles. */
export function nodeFields(Base: AsyncContextConstructor) {
  abstract class NodeFields extends Base {
    /** The bits of common/constants.ts and state.ts. */
    declare _state: number
    /** The unit of the pending timer, or of the interval whose callback runs; 0: none. */
    declare _unit: number
    /** The delay in milliseconds. */
    declare _ms: number
    declare _onTimeout: TimeoutCallback
    // Most handles have no arguments and no rare parts, and use the shared wheel. They inherit the next fields from the prototype.
    declare _timerArgs: unknown[] | undefined
    declare _extra: Extra | undefined
    declare _kernel: Kernel
    abstract set [CLEAR](clearTimeout: true)

    get pending(): boolean {
      // In this order: with a test tool, the look at the kernel can end the timer.
      return !this._kernel._isRunning(this._unit) && this._unit !== 0
    }

    get deadline(): number {
      return this.pending ? this._kernel._dueOf(this._unit) - this._kernel._origin : Number.NaN
    }

    get remaining(): number {
      return this.pending ? this._kernel._dueOf(this._unit) - this._kernel._readClock() : Number.NaN
    }

    get _shown(): Shown {
      return {
        callback: this._onTimeout as never,
        args: this._timerArgs ?? [],
        timeout: this as never,
        hasRef: (this._state & UNREFERENCED) === 0,
      }
    }

    /** Ends the timer in the wheel. */
    _endUnit(): void {
      const unit = this._unit
      this._unit = 0
      if (unit) this._kernel._end(unit, (this._state & UNREFERENCED) === 0)
    }

    /** Reports to the async hooks that the timer is over. */
    _done(): void {
      const extra = this._extra
      if (extra !== undefined) numbered.delete(extra.id)
      this._state |= DESTROYED
      if ((this._state & CLEARED) !== 0) this._release()
      this.emitDestroy()
    }

    /** Releases the arguments of a cleared timer, which will not run again. */
    _release(): void {
      if (this._timerArgs !== undefined) this._timerArgs = undefined
    }

    get _idleTimeout(): number {
      return (this._state & CLEARED) === 0 ? this._ms : -1
    }

    set _idleTimeout(_ms: number) {}

    get _repeat(): number | null {
      return (this._state & REPEATS) === 0 ? null : this._ms
    }

    set _repeat(_ms: number | null) {}

    get _idleStart(): number | null {
      if (!this.pending) return null
      // Whole milliseconds, as in Node.
      return Math.round(this._kernel._dueOf(this._unit) + this._kernel._hostOffset) - this._ms
    }

    /** Next.js 16 gives some of its timers the start of another one, so that they run in one turn. */
    set _idleStart(start: number | null) {
      const unit = this._unit
      if (!isHandle(this) || !this.pending || typeof start !== 'number' || Number.isNaN(start)) return
      // This throws if the program has frozen the handle. Its unit can be another timer's then.
      this._unit = unit
      const due = start - this._kernel._hostOffset + this._ms
      this._kernel._moveTo(unit, Math.max(due, Number.MIN_VALUE))
    }

    get _destroyed(): boolean {
      return (this._state & DESTROYED) !== 0
    }

    /** Node's own `clearTimeout` writes this into a handle, and calls the async hooks itself. */
    set _destroyed(destroyed: boolean) {
      if (!destroyed || this._destroyed || !isHandle(this)) return
      this._endUnit()
      if (this._extra !== undefined) numbered.delete(this._extra.id)
      this._state |= DESTROYED | CLEARED
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
