/**
 * Numbers that stand for timers of this package and name no timer of the page.
 *
 * A page's `clearTimeout` reads any value modulo 2^32 as a signed number, and its timers have the ids 1 to 2^31 - 1. So each
 * number of ours has bit 31 set: the page reads a negative one. Ids of `schedule` lie below 2^52, numbers of handles above.
 */

/** The number before the first of a handle. */
export const BEFORE_FIRST: number = 2 ** 52

/** The number of a handle that follows another. */
export function nextNumber(number: number): number {
  return (++number | 0) < 0 ? number : number + 2 ** 31
}
