/** What the kernel runs, and what features above it need of each timer. */
import type { PendingTimer } from '../api/wheel.js'

export type Callback = (argument?: unknown) => unknown

/** What `pendingTimers()` shows of a timer. */
export type Shown = Omit<PendingTimer, 'remaining'>

/** An object that runs when it is due: a handle, the timer of a signal, the timer of a map. */
export interface Target {
  /** Bits. It lies after what `_expire` reads: see read-ahead.ts. With `UNREFERENCED`, the timer lets the process end. */
  _state: number
  /** Runs the unit. First it ends the unit, keeps it until `_endRun`, or lets it stay due. */
  _expire(unit: number): void
  /** Ends the run of an interval: moves the unit. `_mend` of the kernel calls it too, if an exception has interrupted it. */
  _endRun?(unit: number): void
  /** Ends the timer: `clear()` of the wheel. */
  _cancel(): void
  /** The wheel was stopped: the unit is gone. */
  _forget(): void
  /** Undefined: it is no timer of the program. */
  readonly _shown: Shown | undefined
  /** Of a target without `_shown`: the callback that has run last, and when it was due on the core's clock. */
  readonly _last?: { readonly callback: unknown; readonly due: number }
}

/** Units that are used for one purpose. */
export interface UnitList {
  /** The most recently freed unit, or 0; each free unit names the next. */
  _free: number
  /** The number of live units. */
  _size: number
}

/** An owner of spans of units: a group. The cells of its units hold its items. */
export interface Owner extends UnitList {
  /** The first unit of each of its spans. */
  readonly _spans: number[]
  readonly _isReferenced: boolean
  /** Runs an item that was due. Its unit has ended. */
  readonly _expire: (item: unknown) => unknown
  /** The wheel was stopped. */
  _forget(): void
  _shownOf(item: unknown): Shown
}

/** The timers of a wheel that call a callback: see callbacks.ts. */
export interface Callbacks {
  /** Sets a timer. Returns its unit. O(1). Throws as `_set` of a kernel. */
  _schedule(callback: Callback, delay: number, argument: unknown): number
  /** Ends the timer of a live unit. Returns its argument. O(1). */
  _cancel(unit: number): unknown
  /** The live unit of a number whose target is a callback, or 0. */
  _find(number: number): number
}

/** The units of owners. lib/workerd has another implementation. */
export interface OwnedUnits {
  /** Sets a timer of an owner. O(1) amortised. Throws as `_set` of a kernel. */
  _set(owner: Owner, item: unknown, delay: number): number
  /** The live unit with this number; 0: the owner has none. */
  _find(owner: Owner, number: number): number
  /** Ends a live unit of an owner. O(1). */
  _end(owner: Owner, unit: number): void
  /** The live units of an owner. During the iteration, the caller can end and set units of any owner. */
  _unitsOf(owner: Owner): Iterable<number>
}

/** The owners of a wheel: see owners.ts. */
export interface Owned extends OwnedUnits {
  /** The owner of each span. */
  readonly _bySpan: (Owner | undefined)[]
  /** Takes a span without an owner for other timers. Returns its first unit; 0: there is none. */
  _takeSpare(): number
}

/** What is stored for a unit: a target, a callback, the item of an owner; of a free unit the next free one (0: none). */
export type Cell = unknown
