/**
 * Far deadlines: those more than 2^29 ticks ahead, six days at one millisecond a tick.
 *
 * Ticks wrap at 2^32. Two ticks compare correctly only if they lie within 2^31 of each other. The wheel's own tick can lag
 * by 2^29 while nothing is pending, and by one stage more after that. So the record of a far timer gets a deadline at most
 * 2^29 ticks ahead, a stage, and the tick at which it is due is stored here. When the stage expires, the timer gets its next stage.
 */
import { BLOCK_SHIFT, FARTHEST, NOW, RECORD_MASK, RECORDS_PER_BLOCK } from '../../memory/layout.js'
import { FAR } from './modes.js'

/** What this class needs of the wheel. */
interface Wheel {
  readonly reals: Float64Array
  longestDeferrable: number
  mode: number
}

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
    const farthest = Math.floor(this.timers.reals[NOW]! + FARTHEST)
    if (tick <= farthest) return tick
    this.prepare(unit)
    return farthest
  }

  /** Prepares room for the due time of a timer. */
  prepare(unit: number): void {
    this.timers.longestDeferrable = 0
    const block = unit >>> BLOCK_SHIFT
    while (this.dues.length <= block) this.dues.push(undefined)
    this.dues[block] ??= new Float64Array(RECORDS_PER_BLOCK)
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
