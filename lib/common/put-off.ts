/**
 * Slack: the number of ticks by which a timer may run after its deadline, so that several timers share a wake-up. Deadlines
 * move up to multiples of a slack step. With slack of 5 ticks the slack step is 6 ticks:
 *
 *   deadline   11  12  13  14  15  16  17  18  19
 *   runs at    12  12  18  18  18  18  18  18  24
 *
 * The new deadline depends only on the old one and the slack step. So timers with the same slack step meet, whatever their
 * delays, and keep their order. The slack steps are 1, 2, 3, 4, 6, 8, 12, 16, 24 and so on, so that timers with different
 * slack often meet too.
 */
import { ROUNDING_ERROR } from './ticks.js'

/** In ticks. More slack does not help: wake-ups are rare by then. Ticks that are further apart cannot be compared. */
const MOST = 2 ** 29

/** Returns the slack step in ticks for slack in milliseconds: at most the slack and one tick. */
export function slackStepOf(ms: number, tick: number): number {
  const most = (Math.min((ms / tick) * (1 + ROUNDING_ERROR), MOST) + 1) | 0
  const power = 1 << (31 - Math.clz32(most))
  return power * 1.5 > most ? power : power * 1.5
}

/** Returns the tick at which a timer runs that is due at the tick `due`, on the scale that does not wrap. O(1). */
export const putOff = (due: number, slackStep: number): number =>
  // Beyond 2^53 the sum would be rounded.
  slackStep > 1 ? due + slackStep - (due % slackStep || slackStep) : due
