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

/** A slice can exceed the budget if the first timer in line is late by more than this, in milliseconds. */
const LATE = 50

/** Milliseconds that the slices of all wheels of this thread took: the loop was not away then. */
let sliced = 0

export class SliceBudget {
  /** Milliseconds. 0: a slice is one callback. */
  budget: number
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

  constructor(budget: number) {
    this.budget = budget
  }

  /** Called when a slice begins. @param pending the number of pending timers */
  begin(now: number, pending: number): void {
    if (!this.isBehind) this.grown = this.limit = this.budget
    else {
      if (this.wasShort && this.isGrowing(pending)) this.grown *= 2
      this.limit = Math.max(this.grown, now - this.endedAt - (sliced - this.slicedAtEnd))
    }
    this.startedAt = now
    this.wasShort = false
    this.pendingAtStart = pending
  }

  /** The milliseconds left to a slice that has used up its budget. @param lateness of the first timer in line, in milliseconds */
  overtimeLeft(elapsed: number, lateness: number): number {
    if (lateness <= LATE) return 0
    this.wasShort = elapsed >= this.limit
    return this.limit - elapsed
  }

  /** Called when a slice ends with due timers left. @param ran the number of callbacks that it ran */
  end(now: number, ran: number, pending: number): void {
    sliced += now - this.startedAt
    this.isBehind = true
    this.endedAt = now
    this.slicedAtEnd = sliced
    this.ran = ran
    this.pendingAtEnd = pending
  }

  /** Called when a slice ends without due timers left. */
  catchUp(): void {
    this.isBehind = false
  }

  /** Whether the present slice, which ends now, took at least twice the budget. */
  isOverrun(now: number): boolean {
    return this.budget > 0 && this.duration(now) >= 2 * this.budget
  }

  /** Milliseconds that the present slice has taken. */
  duration(now: number): number {
    return now - this.startedAt
  }

  /** Whether more timers are pending than before the last slice, or other work has added almost as many as that slice ran. */
  private isGrowing(pending: number): boolean {
    return pending > this.pendingAtStart || 4 * (pending - this.pendingAtEnd) > 3 * this.ran
  }
}
