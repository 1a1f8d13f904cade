/** Defaults of the public options. */

/** Milliseconds. */
export const DEFAULT_TICK = 1
/** Milliseconds. */
export const DEFAULT_BUDGET = 5
/** The number of callbacks that `runAll` runs beyond one for each pending timer; the same as in fake timers. */
export const DEFAULT_LIMIT = 1000
