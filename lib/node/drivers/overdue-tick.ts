/**
 * Timers that were due in the flush that filed them, because the program worked on for as long as they wait. A deadline is the end of a
 * tick, so such a tick may not have ended yet. Node runs such timers before the immediates, so they must not wait for its end.
 *
 * The addon knows for each tick when the last of its timers is due: native/core/due_within_tick.h. The WebAssembly module does not, because
 * pages load it too. Here it is known only of a tick that had no timer before the flush, and until the next operation.
 */
import { FOREVER } from '../../common/forever.js'
import type { Core } from '../../memory/core.js'
import { ARMED, BUSY, INEXACT, LEAST_SLACK, NOW, SINCE, SUBMITTED, WAKE } from '../../memory/layout.js'

/** More than the rounding of a part of a tick. */
const ROUNDING = 2 ** -16

export class OverdueTick {
  /** The tick, on the scale of the clock; 0: none. */
  #tick = 0
  /** The last reading of the clock by an operation. */
  #reading = 0

  get isKnown(): boolean {
    return this.#tick !== 0
  }

  /** Files the submissions of an epoch that was closed at `now`, in ticks. */
  file(core: Core, now: number): void {
    const { words, reals } = core
    this.#tick = 0
    if (words[SUBMITTED] === 0 && words[BUSY] === 0) return
    // If each operation reads the clock, all operations come before its last reading. A timer that is set exactly at the start of a tick has
    // its deadline a tick earlier.
    const since = reals[SINCE]!
    const reading = reals[NOW]!
    const start = Math.floor(since)
    const isExact = reals[LEAST_SLACK] === FOREVER && words[INEXACT] === 0 && words[BUSY] === 0
    const isInOneTick = since > start && reading < start + 1
    const tick = Math.floor(now) + 1
    const wasEmpty = words[ARMED] === 0 || ((words[WAKE]! - (tick | 0)) | 0) > 0
    words[INEXACT] = 0
    core.takeSubmissions()
    const isNext = words[ARMED] !== 0 && words[WAKE] === (tick | 0)
    const hasPassed = now - Math.floor(now) >= reading - start + ROUNDING
    if (!(isExact && isInOneTick && wasEmpty && isNext && hasPassed)) return
    this.#reading = reading
    this.#tick = tick
  }

  /** The tick up to which timers are due at `now`, in ticks. */
  dueAt(now: number, reals: Float64Array): number {
    const tick = this.#tick
    this.#tick = 0
    return Math.max(Math.floor(now), reals[NOW] === this.#reading ? tick : 0)
  }
}
