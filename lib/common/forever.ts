/** A time that never comes. A constant of its own, because minifiers do not shorten `Number.POSITIVE_INFINITY`. */
export const FOREVER: number = 1 / 0

/** The longest delay of a host's timers, in milliseconds. The times of refreshes reach no further: see node/scheduler/refresh-log.ts. */
export const MAX_TIMEOUT = 2 ** 31 - 1
