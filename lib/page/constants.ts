/** The constants of wheels in a page. */
import { EPOCH_LENGTH } from '../memory/layout.js'

/** Timers are renumbered before order numbers leave the range of small integers. */
export const LAST_ORDER = 2 ** 30 - 2 * EPOCH_LENGTH
/** The real that counts the order numbers that were dropped. Only Node uses its two words, `REFERENCED` and `UNREFERENCED`. */
export const DROPPED = 5
/** A record with this many uses is not used again, because its ids are used up. */
export const MAX_USES = 2 ** 23
/** This many operations of a turn each read the clock; the others share readings. A turn ends when the driver runs. */
export const EXACT = 32
/**
 * In ticks. If `EXACT` operations, or 64 that share a reading, take longer than this, the program does other work between them.
 * Then the next `EXACT` operations read the clock each.
 */
export const LONG = 0.5
/**
 * The largest distance, in ticks, of a deadline and of a wheel's lag: ticks wrap at 2^32, so that only near ones can be compared. A
 * timer beyond it has several stages. A wheel that lags by more catches up in steps of at most twice this length.
 */
export const FARTHEST = 2 ** 29
