/** Constants of Node and of pages. This file has nothing else: then bundlers write them as numbers. */

// Defaults of the public options. Times are in milliseconds.
export const DEFAULT_TICK = 1
export const DEFAULT_BUDGET = 5
/** The callbacks that `runAll` runs beyond one for each pending timer: as many as fake timers run. */
export const DEFAULT_LIMIT = 1000

/** A time that never comes. A constant of its own, because minifiers do not shorten `Number.POSITIVE_INFINITY`. */
export const FOREVER: number = 1 / 0

/** The longest delay of a host's timers, in milliseconds. The times of refreshes reach no further: see node/scheduler/refresh-log.ts. */
export const MAX_TIMEOUT = 2 ** 31 - 1

// How operations share readings of the clock.
/** The first operations of a turn each read the clock; the others share readings. A turn ends when the driver runs. */
export const EXACT = 32
/**
 * In ticks. If `EXACT` operations, or the operations that share a reading, take at least this long, the program does other work between
 * them. Then the next `EXACT` operations read the clock each.
 */
export const LONG = 0.5
/** Timers are numbered anew before order numbers leave the range of small integers: two epochs of 64 operations before. */
export const LAST_ORDER = 2 ** 30 - 2 * 64
