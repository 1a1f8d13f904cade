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

export class ServerClock {
  readonly #monotonic: () => number
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY
  #readAt = 0

  constructor(monotonic: () => number = ofHost) {
    this.#monotonic = monotonic
  }

  /** The time, unless the clock is being set. */
  now(): number {
    return this.#after(DRIFT)
  }

  /** The least time that it can be. */
  least(): number {
    return this.#after(SLEW)
  }

  #after(loss: number): number {
    const here = this.#monotonic()
    return here + this.#least - (here - this.#readAt) * loss
  }

  /** @param sent when the question was sent, on the clock here @param time the database's */
  learn(sent: number, time: number): void {
    const here = this.#monotonic()
    const slew = (here - this.#readAt) * SLEW
    const least = time - here
    const most = time - sent
    const isSet = least > this.#most + slew || most < this.#least - slew
    // If the clock was set, what was known before is wrong.
    this.#least = isSet ? least : Math.max(least, this.#least - slew)
    this.#most = isSet ? most : Math.min(most, this.#most + slew)
    this.#readAt = here
  }
}
