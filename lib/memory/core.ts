/** The compiled core over the shared memory of one wheel, whichever binary it is. */

/** A wheel's memory as words and as reals. Replaced when it grows. */
export interface Views {
  words: Int32Array
  reals: Float64Array
}

/** The compiled core over one wheel's memory. Time comes in as an argument, in ticks. */
export interface Core extends Readonly<Views> {
  /** How many blocks of records it has. */
  readonly blocks: number
  /** Adjusts what was touched since the clock was last read, and takes `now` for the operations that follow. */
  openEpoch(now: number): void
  /** The same, and no operation may follow before `openEpoch`. */
  closeEpoch(now: number): void
  /** Files what has been submitted. */
  takeSubmissions(): void
  /** Expires what is due up to `target` and returns how many stand in the expirations. */
  advance(target: number): number
  /**
   * Adds at least one block, and replaces the views of the owner with its own: those of before may be of no use. False: there
   * is no memory, or no room for more records; nothing has changed.
   */
  grow(owner: Views): boolean
  /**
   * Begins anew with one block, of which no record is used, and replaces the views of the owner. Nothing is pending.
   *
   * @param advanced the tick up to which it has been advanced, on the scale that does not wrap
   * @returns false: there is no memory for it, and nothing has changed
   */
  renew(advanced: number, owner: Views): boolean
}

/** Opens a bare core, for drivers in TypeScript. */
export type OpenCore = () => Core
