/**
 * The clock of the database, as a process can know it. Each answer has the database's time: it was not more when the question was sent,
 * and not less when the answer came. So the distance between that clock and one here, which cannot be set, lies between two bounds. The
 * bounds of many answers lie closer together than those of one. The lower one counts, so that no timer is early.
 */

import { monotonic as ofHost } from '../common/time.js'

/** Clocks of computers differ by at most this part: 0.1%, also while one is slowed down to be set. The bounds widen by it. */
const DRIFT = 1e-3

export class ServerClock {
  readonly #monotonic: () => number
  #least = Number.NEGATIVE_INFINITY
  #most = Number.POSITIVE_INFINITY
  #readAt = 0

  constructor(monotonic: () => number = ofHost) {
    this.#monotonic = monotonic
  }

  now(): number {
    const here = this.#monotonic()
    return here + this.#least - (here - this.#readAt) * DRIFT
  }

  /** @param sent when the question was sent, on the clock here @param time the database's, in whole milliseconds that it has reached */
  learn(sent: number, time: number): void {
    const here = this.#monotonic()
    const drift = (here - this.#readAt) * DRIFT
    const least = time - here
    const most = time + 1 - sent
    const isSet = least > this.#most + drift || most < this.#least - drift
    // If the clock was set, what was known before is wrong.
    this.#least = isSet ? least : Math.max(least, this.#least - drift)
    this.#most = isSet ? most : Math.min(most, this.#most + drift)
    this.#readAt = here
  }
}
