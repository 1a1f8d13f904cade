/** What a TimeoutMap needs of its wheel. wheel/map-timer.ts implements it. On workerd, a map without the option `wheel` has only `_now`, `_set` and `_soon`. */

/** The timer of a map: one for all entries. */
export interface MapTimer {
  /** Whether time can move between any two calls. */
  readonly _isVirtual?: boolean
  /** Whether the wheel was stopped. Missing: no timer runs the map, but its own calls do. */
  _isStopped?(): boolean
  /** Calls a callback in a microtask, and reports its error. Missing: a promise does it, whose rejection is reported. */
  _soon?(callback: () => void): void
  /** Reads the clock, in milliseconds. */
  _now(): number
  /** The most milliseconds by which the true time between two readings can be shorter than their difference. */
  readonly _lag?: (() => number) | undefined
  /** Runs the map after `ms` milliseconds, instead of at any former time; `FOREVER`: not again. @throws if the wheel takes no more timers */
  _set(ms: number): void
  /**
   * Only on Node, for a map that keeps the process alive while an entry can expire or waits for its callback.
   *
   * @param next the first entry of each list; its own number: the list is empty
   */
  _hold?(next: Int32Array): void
  /**
   * Counts a call of a callback, or none. Called last in each run.
   *
   * @param due the deadline of the entry whose callback follows, in milliseconds; undefined: none follows
   * @param callback that callback
   */
  _countRun?(due?: number, callback?: unknown): void
}

/** What the timer runs. */
export interface MapClient {
  /** Called when the timer is due, and again until it was set or ended: then the wheel shares the time with other timers. */
  _run(): void
  /** Called before `clear()` of the wheel ends the timer, and after `stop()` has ended it. */
  _wheelCleared(): void
}

/**
 * Opens the timer of a map.
 *
 * @param wheel the wheel; undefined: the shared one
 * @param holds whether the timer keeps the process alive
 * @throws TypeError if `wheel` is not a wheel
 */
export type OpenMapTimer = (client: MapClient, wheel: unknown, holds: boolean) => MapTimer
