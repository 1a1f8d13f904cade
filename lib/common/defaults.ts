/** Defaults of the public options. Times are in milliseconds. */
export const DEFAULT_TICK = 1
export const DEFAULT_BUDGET = 5
/** The callbacks that `runAll` runs beyond one for each pending timer: as many as fake timers run. */
export const DEFAULT_LIMIT = 1000
