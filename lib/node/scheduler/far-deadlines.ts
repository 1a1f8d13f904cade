/**
 * Far deadlines: those more than 2^29 ticks ahead, six days at one millisecond a tick.
 *
 * Ticks wrap at 2^32. Two ticks compare correctly only if they lie within 2^31 of each other. The wheel's own tick can lag
 * by 2^29 while nothing is pending, and by one stage more after that. So the record of a far timer gets a deadline at most
 * 2^29 ticks ahead, a stage, and its true due time is stored here. When the stage expires, the timer gets its next stage.
 */
import { BLOCK_SHIFT, FARTHEST, NOW, RECORD_MASK, RECORDS_PER_BLOCK } from '../../memory/layout.js'
import type { OpenBackend } from '../drivers/backend.js'
import type { Host } from '../host/host.js'
import { EpochClock } from './epoch-clock.js'

/** {@link FarDeadlines.mode}: no flag is set. */
export const USUAL = 0
/** There are far deadlines. */
const FAR = 1
/** A tick is not one millisecond. */
const SCALED = 2
/** Timers are put off. */
const SLACK = 4

export abstract class FarDeadlines extends EpochClock {
  /** The due times of far timers in ticks, by block; 0: the timer is not far. */
  private readonly farDues: (Float64Array | undefined)[] = []
  private farCount = 0
  /** The reasons why `schedule` cannot take its shortest path: `USUAL`, or flags from above. */
  mode = USUAL
  /** The longest delay that `rescheduleDeferred` takes in the open epoch; 0: none. Far timers exclude it. */
  longestDeferrable = 0

  constructor(open: OpenBackend, host: Host, tick: number) {
    super(open, host, tick)
    if (tick !== 1) this.mode |= SCALED
  }

  override setSlack(ms: number): void {
    super.setSlack(ms)
    if (this.step > 1) this.mode |= SLACK
  }

  /** The due time of a far timer in ticks; 0: the timer is not far. */
  farDue(unit: number): number {
    return this.farDues[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK] ?? 0
  }

  get hasFar(): boolean {
    return (this.mode & FAR) !== 0
  }

  /** Returns the deadline of a timer that is due at `tick`: `tick` itself, or a stage. Prepares the due time's place. */
  stageOf(unit: number, tick: number): number {
    const farthest = Math.floor(this.reals[NOW]! + FARTHEST)
    if (tick <= farthest) return tick
    this.prepareFar(unit)
    return farthest
  }

  /** Frees the memory for far timers. Nothing is pending. */
  forgetFar(): void {
    this.farDues.length = 0
    this.farCount = 0
    this.mode &= ~FAR
  }

  /** Prepares a place for the due time of a far timer. */
  prepareFar(unit: number): void {
    this.longestDeferrable = 0
    const block = unit >>> BLOCK_SHIFT
    while (this.farDues.length <= block) this.farDues.push(undefined)
    this.farDues[block] ??= new Float64Array(RECORDS_PER_BLOCK)
  }

  /** Commits the due time of a timer; 0: it is not far. */
  commitFar(unit: number, due: number): void {
    const dues = this.farDues[unit >>> BLOCK_SHIFT]
    if (dues === undefined) return
    const i = unit & RECORD_MASK
    this.farCount += (due === 0 ? 0 : 1) - (dues[i] === 0 ? 0 : 1)
    dues[i] = due
    this.mode = this.farCount === 0 ? this.mode & ~FAR : this.mode | FAR
  }
}
