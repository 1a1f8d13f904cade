/** The interface of the compiled core, for both binaries: the addon and WebAssembly. */

/** A wheel's memory as words and as reals. The views are replaced when the memory grows. */
export interface Views {
  words: Int32Array
  reals: Float64Array
}

/** The compiled core over one wheel's memory. It has no clock: time is an argument, in ticks. */
export interface Core extends Readonly<Views> {
  /** The number of blocks of records. */
  readonly blocks: number
  /** Closes the open epoch, which adjusts its deadlines. Opens a new epoch, whose operations count from `now`. */
  openEpoch(now: number): void
  /** Closes the open epoch and opens none. No operation can follow before `openEpoch`. */
  closeEpoch(now: number): void
  /** Files the submissions. */
  takeSubmissions(): void
  /** Expires the timers due up to `target`, a tick that does not wrap, and returns the number of expirations. */
  advance(target: number): number
  /**
   * Adds at least one block. Replaces the owner's views, because the old ones can be detached. Returns false if there is no
   * memory or no room for more records. Then nothing has changed.
   */
  grow(owner: Views): boolean
}

/** Opens a core without a driver, for drivers in TypeScript. */
export type OpenCore = () => Core
