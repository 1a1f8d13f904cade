/**
 * Slack: a timer may run later than its deadline by so many ticks, so that several timers share a wake-up. With slack of 5 ticks,
 * deadlines move up to multiples of 6 ticks:
 *
 *   deadline   11  12  13  14  15  16  17  18  19
 *   runs at    12  12  18  18  18  18  18  18  24
 *
 * The deadline alone decides, so timers meet without knowing each other, and a later deadline never becomes an earlier one. The
 * steps are 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, so that timers of different slack often meet too.
 */
import { ROUNDING_ERROR } from './ticks.js'

/** In ticks. More slack does not help: wake-ups are rare by then. Ticks that are further apart cannot be compared. */
const MOST = 2 ** 29

/** Returns the step for slack in milliseconds: ticks, at most the slack and one more. */
export function stepOf(ms: number, tick: number): number {
  const most = (Math.min((ms / tick) * (1 + ROUNDING_ERROR), MOST) + 1) | 0
  const power = 1 << (31 - Math.clz32(most))
  return power * 1.5 > most ? power : power * 1.5
}

/** Returns the tick at which a timer runs that is due at the tick `due`, on the scale that does not wrap. O(1). */
export const putOff = (due: number, step: number): number => due + step - (due % step || step)
