/** Defaults of the public options. */

/** Milliseconds. */
export const DEFAULT_TICK = 1
/** Milliseconds. */
export const DEFAULT_BUDGET = 5
/** The callbacks that `runAll` may run beyond one for each pending timer: as many as fake timers run. */
export const DEFAULT_LIMIT = 1000
