/** Whom a timer is for. */

/** A timer with a handle. */
export interface Handle {
  /** The delay in milliseconds. */
  readonly _ms: number
  /**
   * The order number of the last `postpone` (filing.ts), of which the record does not know yet; `NOT_POSTPONED`; or
   * `NOT_POSTPONABLE`: not pending, or its delay is longer than the epoch log reaches.
   */
  _order: number
  /** Takes the record out of the scheduler and runs the callback. */
  expire(): void
  /** Whether the host counts it while its callback runs: it has a reference, and is neither cleared nor set again. */
  readonly countsWhileRunning: boolean
}
export const NOT_POSTPONED = -1
export const NOT_POSTPONABLE = -2

export type Callback = (argument: unknown) => unknown
export type Occupant = Callback | Handle
