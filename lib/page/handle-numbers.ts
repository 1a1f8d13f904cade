/**
 * Numbers of handles, which `clearTimeout` takes instead of the handle. No timer of the page has such a number.
 *
 * A page's `clearTimeout` reads any value modulo 2^32 as a signed number, and its timers have the ids 1 to 2^31 - 1. So bit
 * 31 of a handle's number is set, and the page reads it as negative. Ids of `schedule` are below 2^52, these numbers above.
 */

/** The number before that of the first handle. */
export const BEFORE_FIRST: number = 2 ** 52

/** Returns the next number after `number`. */
export function nextNumber(number: number): number {
  return (++number | 0) < 0 ? number : number + 2 ** 31
}
