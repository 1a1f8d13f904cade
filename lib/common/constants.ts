/** Constants of Node and of pages. This file has nothing else: then bundlers write them as numbers. */

// Defaults of the public options. Times are in milliseconds.
export const DEFAULT_TICK = 1
export const DEFAULT_BUDGET = 5
/** The callbacks that `runAll` runs beyond one for each pending timer: as many as fake timers run. */
export const DEFAULT_LIMIT = 1000

/** A time that never comes. A constant of its own, because minifiers do not shorten `Number.POSITIVE_INFINITY`. */
export const FOREVER: number = 1 / 0

/** The longest delay of a host's timers, in milliseconds. */
export const MAX_TIMEOUT = 2 ** 31 - 1

// The bits of a handle's state that all hosts have.
export const ONCE = 0
export const REPEATS = 1
/** It lets the process end. */
export const UNREFERENCED = 2
/** It was cleared: refresh() does not set it again. */
export const CLEARED = 4
