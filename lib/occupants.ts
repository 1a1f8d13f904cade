/** What the record of a timer runs: a callback, or a handle. */

/** A timer with a handle. */
export interface Handle {
  /** The delay in milliseconds. */
  readonly _ms: number
  /**
   * The order number of the last `postpone` (filing.ts), of which the record does not know yet; `NOT_POSTPONED`; or
   * `NOT_POSTPONABLE`: it is not pending, or its deadline does not follow from its delay.
   */
  _order: number
  /** Takes the record out of the scheduler and runs the callback. */
  expire(): void
  /** Does what follows the callback of an interval, which was interrupted. */
  resume(): void
  /** Whether the host counts it while its callback runs: it has a reference, and is neither cleared nor set again. */
  readonly countsWhileRunning: boolean
}
export const NOT_POSTPONED = -1
export const NOT_POSTPONABLE = -2

export type Callback = (argument: unknown) => unknown
export type Occupant = Callback | Handle
