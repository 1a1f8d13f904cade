/**
 * Far deadlines: those that lie too far after the wheel's own tick, the one up to which it was advanced.
 *
 * Ticks wrap at 2^32. Two ticks compare correctly only if they lie within 2^31 of each other. So the record of a far timer gets a
 * deadline 1.75 * 2^30 ticks after the wheel's own tick, a stage, and the tick at which it is due is stored here. When the stage expires,
 * the timer gets its next stage.
 *
 * The wheel's own tick lags behind the clock while no timer expires, and after the process was stopped. While it lags by more than 2^29
 * ticks (`LAGS`), timers with short delays can be far too.
 */
import { BLOCK_SHIFT, RECORD_MASK, RECORDS_PER_BLOCK } from '../../memory/layout.js'

// The reasons why `schedule` cannot take its shortest path: flags of `Timers.mode`.
export const USUAL = 0
/** There are far deadlines. */
export const FAR = 1
/** A tick is not one millisecond. */
export const SCALED = 2
/** The wheel's own tick lags behind the clock by more than 2^29 ticks. */
export const LAGS = 4

/** What this class needs of the wheel. */
interface Wheel {
  readonly advanced: number
  longestDeferrable: number
  mode: number
}

/** Less than 2^31 ticks, and more than the 1.5 * 2^30 that other deadlines can be away. */
const STAGE = 1.75 * 2 ** 30

export class FarDeadlines {
  private readonly timers: Wheel
  /** The ticks at which far timers are due, by block; 0: the timer is not far. */
  private readonly dues: (Float64Array | undefined)[] = []
  private count = 0

  constructor(timers: Wheel) {
    this.timers = timers
  }

  /** The tick at which a far timer is due; 0: the timer is not far. */
  dueOf(unit: number): number {
    return this.dues[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK] ?? 0
  }

  /** Returns the deadline of a timer that is due at `tick`: `tick` itself, or a stage. Prepares room for the due time. */
  stageOf(unit: number, tick: number): number {
    const farthest = this.timers.advanced + STAGE
    if (tick <= farthest) return tick
    this.timers.longestDeferrable = 0
    const block = unit >>> BLOCK_SHIFT
    while (this.dues.length <= block) this.dues.push(undefined)
    this.dues[block] ??= new Float64Array(RECORDS_PER_BLOCK)
    return farthest
  }

  /** Commits the due time of a timer; 0: it is not far. Calls nothing. */
  commit(unit: number, due: number): void {
    const dues = this.dues[unit >>> BLOCK_SHIFT]
    if (dues === undefined) return
    const { timers } = this
    const i = unit & RECORD_MASK
    this.count += (due === 0 ? 0 : 1) - (dues[i] === 0 ? 0 : 1)
    dues[i] = due
    timers.mode = this.count === 0 ? timers.mode & ~FAR : timers.mode | FAR
  }
}
