/** The constants of the kernel. They are not in kernel.ts, because bundlers write only imported constants as numbers. */

/** A unit is not used again after this state, because its numbers are used up: all are below 2^52. */
export const LAST_STATE = 2 ** 27 - 4
/** The first targets of a block. Most wheels need no more. */
export const FEW = 1024
export const UNIT_MASK = 2 ** 26 - 1
/** The units of a span, which has one owner or none. */
export const SPAN = 32
export const SPAN_SHIFT = 5
/** The number of targets that are read ahead. */
export const AHEAD = 64
