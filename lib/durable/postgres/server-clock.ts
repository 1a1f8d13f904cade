/**
 * The clock of the database, as a process can know it. Each answer has the database's time: it was not more when the question was sent,
 * and not less when the answer came. So the distance between that clock and one here, which cannot be set, lies between two bounds. The
 * bounds of many answers lie closer together than those of one. The lower one counts, so that no timer is early.
 */
import { monotonic as ofHost } from '../common/time.js'

/** Clocks of computers differ by at most this part, unless one is being set. */
const DRIFT = 1e-3
/** A clock that is set step by step goes slower or faster by at most this part: chrony allows 8.3%. The bounds widen by it. */
const SLEW = 0.1

export function makeServerClock(monotonic: () => number = ofHost) {
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  let readAt = 0

  const timeAfter = (loss: number): number => {
    const here = monotonic()
    return here + least - (here - readAt) * loss
  }

  return {
    /** The time, unless the clock is being set. */
    now: () => timeAfter(DRIFT),
    /** The least time that it can be. */
    least: () => timeAfter(SLEW),
    /** @param sent when the question was sent, on the clock here @param time the database's */
    learn(sent: number, time: number): void {
      const here = monotonic()
      const slew = (here - readAt) * SLEW
      const isSet = time - here > most + slew || time - sent < least - slew
      // Someone may have set the clock. Then the earlier readings are wrong.
      least = isSet ? time - here : Math.max(time - here, least - slew)
      most = isSet ? time - sent : Math.min(time - sent, most + slew)
      readAt = here
    },
  }
}
