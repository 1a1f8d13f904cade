/**
 * Slack: a timer may run later than its deadline by so many ticks, so that several timers share a wake-up.
 *
 *   deadline   13      14   15   16   17   18        slack of 5 ticks
 *   runs at    16 <----16---16---16                  the multiple of the highest power of two from 13 to 18
 *                                     20 <-17 ...
 *
 * The deadline alone decides, so timers meet without knowing each other. A later deadline never becomes an earlier one.
 */
import { ROUNDING_ERROR } from './ticks.js'

/** More slack does not help: wake-ups are rare by then. Ticks that are further apart cannot be compared. */
const MOST = 2 ** 29

/** Converts slack from milliseconds to whole ticks. */
export const slackTicks = (ms: number, tick: number): number =>
  Math.min(Math.floor((ms / tick) * (1 + ROUNDING_ERROR)), MOST)

/** Returns the tick at which a timer runs that is due at the tick `due`, on the scale that does not wrap. O(1). */
export function putOff(due: number, slack: number): number {
  // Beyond 2^53, a number cannot distinguish one tick from the next.
  if (!slack || due + slack > 2 ** 53) return due
  // The operators take the low 32 bits, in which multiples of powers of two stay what they are.
  const last = due + slack
  const step = -1 << (31 - Math.clz32((due - 1) ^ last))
  return due + (((last & step) - due) | 0)
}
