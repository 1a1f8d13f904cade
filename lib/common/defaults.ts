/** Defaults of the public options, and limits of time. Times are in milliseconds. */
export const DEFAULT_TICK = 1
export const DEFAULT_BUDGET = 5
/** The callbacks that `runAll` runs beyond one for each pending timer: as many as fake timers run. */
export const DEFAULT_LIMIT = 1000

/** A time that never comes. A constant of its own, because minifiers do not shorten `Number.POSITIVE_INFINITY`. */
export const FOREVER: number = 1 / 0

/** The longest delay of a host's timers, in milliseconds. The times of refreshes reach no further: see node/scheduler/refresh-log.ts. */
export const MAX_TIMEOUT = 2 ** 31 - 1
