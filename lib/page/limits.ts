/** The limits of a wheel in a page. */
import { EPOCH_LENGTH } from '../memory/layout.js'

/** Timers are renumbered before order numbers leave the range of small integers. */
export const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** A record with this many uses is not used again, because its ids are used up. */
export const MAX_USES = 2 ** 23
/** The number of operations of a turn that read the clock each. A turn ends when the driver runs. */
export const EXACT = 32
/** If `EXACT` operations, or 64 with one reading, take more ticks, the program works between them: `EXACT` more follow. */
export const LONG = 0.5
/**
 * Ticks are compared only if they are at most this far apart, because they wrap at 2^32. A timer whose deadline is further away
 * has several stages. A wheel that lags by more catches up in steps of at most twice this length.
 */
export const FARTHEST = 2 ** 29
