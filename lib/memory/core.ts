/** The compiled core of one wheel, with the memory that both sides share. native/core/DESIGN.md says what each side may touch. */

/** What the kernel needs of the core. */
export interface Core {
  /** The memory as words and as reals. The views are replaced when the memory grows. Until then V8 compiles them into the code. */
  words: Int32Array
  reals: Float64Array
  /** Adds room for units. Returns how many there are in all then; the same number: there is no memory for more. */
  _grow(): number
  /** Carries out the queue, at the present time. Called without the core, as `_readClock` is. */
  readonly _apply: () => void
  /** Carries out the queue, and goes on with the pass that has stopped at a bound. */
  _resume(): void
  /** Reads the clock: milliseconds. Also after `_close`. */
  readonly _readClock: () => number
  /** `HELD` is less than the timers need: keeps the wheel in memory, or the event loop alive. */
  _hold(): void
  /** No timer has a reference any more. */
  _release(): void
  /** The wheel was stopped: ends the wake-ups, and frees what can be freed. `words` has only an empty control block then. */
  _close(): void
}

/** What drives a wheel from JavaScript. */
export interface Driver {
  /** The time in milliseconds. It never decreases. */
  _now(): number
  /** Operations are about to be carried out: the next wake-up can become earlier, and the turn has an end to ask for. */
  _applies(): void
  _hold(): void
  _release(): void
  /** The wheel was stopped. */
  _close(): void
}

/** A core whose driver is in JavaScript. */
export interface DrivenCore extends Core {
  /** Carries out the queue, and begins a pass: expires what is due, or was due so many milliseconds ago. */
  _expire(ago?: number): void
  /** The end of a turn: reads the clock, and carries out the queue. Returns when the wheel needs `_expire` next; infinity: never. */
  _endTurn(): number
}

/** @param tick the length of a tick in milliseconds */
export type OpenCore = (tick: number, driver: Driver) => DrivenCore
