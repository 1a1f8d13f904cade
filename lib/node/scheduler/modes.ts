/** The reasons why `schedule` cannot take its shortest path: flags of `Timers.mode`. In a file of their own for bundlers. */

export const USUAL = 0
/** There are far deadlines. */
export const FAR = 1
/** A tick is not one millisecond. */
export const SCALED = 2
/** The wheel's own tick lags behind the clock by more than 2^29 ticks. */
export const LAGS = 4
