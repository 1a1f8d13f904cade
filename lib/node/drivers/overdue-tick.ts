/**
 * Timers that are due already when the flush files them, because the program went on working for longer than their delay. A deadline is
 * the end of a tick, so the tick of such a timer may not have ended yet. Node runs overdue timers before the immediates, so they must not
 * wait for the end of the tick.
 *
 * The addon knows for each tick when the last of its timers is due: native/core/due_within_tick.h. The WebAssembly module does not, because
 * pages load it too. Here it is known of one tick: of the present one, if no timer was due by its end before the flush.
 */
import { FOREVER } from '../../common/forever.js'
import type { Core } from '../../memory/core.js'
import { ARMED, BUSY, INEXACT, LEAST_SLACK, NOW, SINCE, SUBMITTED, WAKE } from '../../memory/layout.js'

/** In ticks. Times within a tick are computed from readings of the clock. Their rounding errors are smaller than this. */
const ROUNDING = 2 ** -16

export class OverdueTick {
  /** All timers that are due by the end of this tick are due now; 0: no such tick is known. On the scale that does not wrap. */
  #tick = 0
  /** The last reading of the clock by an operation before the flush. */
  #reading = 0

  get isKnown(): boolean {
    return this.#tick !== 0
  }

  /** Files the submissions of an epoch that was closed at `now`, in ticks. */
  file(core: Core, now: number): void {
    const { words } = core
    // A delay is a tick or more.
    const mayBeDue = this.#tick !== 0 || now - core.reals[NOW]! >= 1
    const tick = mayBeDue ? this.#dueTick(core, now) : 0
    this.#tick = 0
    if (words[SUBMITTED] !== 0 || words[BUSY] !== 0) {
      core.takeSubmissions()
      // Last, so that an interrupted call leaves it.
      words[INEXACT] = 0
    }
    if (tick === 0 || !isArmedBy(words, tick)) return
    this.#reading = core.reals[NOW]!
    this.#tick = tick
  }

  /** The present tick, if all timers that are due by its end will be due now when the submissions are filed; otherwise 0. */
  #dueTick(core: Core, now: number): number {
    const { words } = core
    const tick = Math.floor(now) + 1
    const areWhole = words[INEXACT] === 0 && words[BUSY] === 0
    // A tick stays known: later operations have come in this tick, so their whole delays end after it.
    return areWhole && (this.#tick === tick || areDue(core, now, tick)) ? tick : 0
  }

  /** The tick up to which timers are due at `now`, in ticks. */
  dueAt(now: number, { words, reals }: Core): number {
    const tick = this.#tick
    this.#tick = 0
    // An operation after the flush can have set a timer in the tick.
    const holds = reals[NOW] === this.#reading && words[INEXACT] === 0
    return Math.max(Math.floor(now), holds ? tick : 0)
  }
}

/** Whether those submissions are due at `now` whose deadline is `tick`, the end of the present tick, and no other timer has it. */
function areDue({ words, reals }: Core, now: number, tick: number): boolean {
  const reading = reals[NOW]!
  // If each operation reads the clock, the last one has the last reading. The delays are whole, so in its tick each timer is due at the same
  // part of the tick as its operation. An operation exactly at the start of a tick is an exception: its timer is due at the end of a tick.
  const since = reals[SINCE]!
  const start = Math.floor(since)
  const isExact = reals[LEAST_SLACK] === FOREVER && since > start
  return isExact && now - Math.floor(now) >= reading - start + ROUNDING && !isArmedBy(words, tick)
}

const isArmedBy = (words: Int32Array, tick: number): boolean =>
  words[ARMED] !== 0 && ((words[WAKE]! - (tick | 0)) | 0) <= 0
