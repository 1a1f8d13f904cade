/** What a TimeoutMap needs of its wheel. node/map-timer.ts, page/map-timer.ts and workerd/map-timer.ts have it. */

/** The timer of a map: one for all entries. */
export interface MapTimer {
  /** Whether the wheel was stopped. */
  readonly _stopped: boolean
  /** Virtual time, which can move between any two calls; undefined: time is real. */
  readonly _virtual: unknown
  /** Reads the clock, in milliseconds. */
  _now(): number
  /** Runs the map after `ms` milliseconds, instead of at any former time. @throws if the wheel takes no more timers */
  _set(ms: number): void
  /** Ends the timer. */
  _clear(): void
  /** Sets whether the timer keeps the process alive. */
  _hold(isHeld: boolean): void
  /** Called in each run after all other calls, and before the callback of the program if one follows. */
  _endRun(hasCallback: boolean): void
}

/** What the timer runs. */
export interface MapClient {
  /** Called when the timer is due, and again until it was set or ended: then the wheel shares the time with other timers. */
  _run(): void
  /** What the program wants to be called after an entry has expired. */
  readonly _onExpire: unknown
}

/**
 * Opens the timer of a map.
 *
 * @param wheel the wheel; undefined: the shared one
 * @throws TypeError if `wheel` is not a wheel
 */
export type OpenMapTimer = (client: MapClient, wheel: unknown) => MapTimer
