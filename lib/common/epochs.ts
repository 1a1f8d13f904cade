/** How operations share readings of the clock, on Node and in pages. Imports nothing: then bundlers write the constants as numbers. */

/** The first operations of a turn each read the clock; the others share readings. A turn ends when the driver runs. */
export const EXACT = 32
/**
 * In ticks. If `EXACT` operations, or the operations that share a reading, take at least this long, the program does other work between
 * them. Then the next `EXACT` operations read the clock each.
 */
export const LONG = 0.5
/** Timers are numbered anew before order numbers leave the range of small integers: two epochs of 64 operations before. */
export const LAST_ORDER = 2 ** 30 - 2 * 64
