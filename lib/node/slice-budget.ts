/**
 * The length of a slice: the time for which a wheel runs callbacks before the event loop gets to other work.
 *
 *     slice      other work      slice      other work      slice ...
 *     |--------|--------------|--------|----------------|--------
 *              end            begin    end              begin
 *
 * A slice takes `budget` milliseconds. It can take longer while the first timer in line is late by more than `LATE` milliseconds: as long
 * as the loop was away, so that timers get half of the time. If that is not enough, because the other work of a turn sets more timers than
 * a slice runs, each slice can take twice as long as the one before, until the backlog shrinks. A burst shrinks with each slice, so
 * its slices do not grow. Nor do those of intervals that need more time than there is, because their number stays the same.
 */

import type { Kernel } from '../kernel/kernel.js'
import type { Limits } from '../wheel/wheel.js'

/** A slice can exceed the budget if the first timer in line is late by more than this, in milliseconds. */
const LATE = 50

/** Milliseconds that the slices of all wheels of this thread took: the loop was not away then. */
let sliced = 0

export class SliceBudget {
  readonly #limits: Limits
  /** The last slice left due timers. */
  isBehind = false
  /** Milliseconds that the present slice can take while the first timer in line is late. */
  limit = 0

  /** The least limit under the present load. */
  private grown = 0
  /** The slice has reached its limit while the first timer in line was late. */
  private wasShort = false
  private startedAt = 0
  private endedAt = 0
  private slicedAtEnd = 0
  private pendingAtStart = 0
  private pendingAtEnd = 0
  private ran = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Called when a slice begins. */
  begin(now: number, kernel: Kernel): void {
    const pending = kernel._taken()
    if (!this.isBehind) this.grown = this.limit = this.#limits._budget
    else {
      if (this.wasShort && this.isGrowing(pending)) this.grown *= 2
      this.limit = Math.max(this.grown, now - this.endedAt - (sliced - this.slicedAtEnd))
    }
    this.startedAt = now
    this.wasShort = false
    this.pendingAtStart = pending
  }

  /** The milliseconds left to the slice. @param unit the first timer in line; 0: not known */
  left(now: number, kernel: Kernel, unit: number): number {
    const elapsed = now - this.startedAt
    const left = this.#limits._budget - elapsed
    if (left > 0 || unit === 0 || now - kernel._dueOf(unit) <= LATE) return left
    this.wasShort = elapsed >= this.limit
    return this.limit - elapsed
  }

  /** Called when a slice ends with due timers left. @param ran the number of callbacks that it ran */
  end(now: number, ran: number, kernel: Kernel): void {
    sliced += now - this.startedAt
    this.isBehind = true
    this.endedAt = now
    this.slicedAtEnd = sliced
    this.ran = ran
    this.pendingAtEnd = kernel._taken()
  }

  /** Whether more timers are pending than before the last slice, or other work has added almost as many as that slice ran. */
  private isGrowing(pending: number): boolean {
    return pending > this.pendingAtStart || 4 * (pending - this.pendingAtEnd) > 3 * this.ran
  }
}
