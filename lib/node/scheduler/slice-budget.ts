/**
 * The length of a slice: the time for which a wheel runs callbacks before the event loop gets to other work.
 *
 *     slice      other work      slice      other work      slice ...
 *     |--------|--------------|--------|----------------|--------
 *              end            begin    end              begin
 *
 * A slice takes `budget` milliseconds. Under overload that starves timers, because the other work of a turn sets more timers than a
 * slice runs, and the backlog grows as long as the load lasts. Node's own timers have no budget and keep up. So a slice can
 * take longer, up to `limit`, while the first timer in line is late by more than `LATE` milliseconds:
 *
 * - as long as the other work of a turn takes, so that timers get half of the time;
 * - as long as a slice needs for twice the timers that a turn adds, so that a backlog shrinks under any load.
 *
 * A burst adds no timers while it runs, so its slices keep to the budget. So do the slices of intervals that need more time
 * than there is: they add as many timers as they run, but the other work adds none. All figures are averages over recent
 * turns: one slow turn, or one turn that sets a million timers, does not make a long slice.
 */

/** A slice can exceed the budget if the first timer in line is late by more than this, in milliseconds. */
export const LATE = 50
/** The number of turns in the averages. */
const TURNS = 32
/** The averages start with this many turns without events, so that the first turn of a backlog does not decide alone. */
const QUIET_TURNS = 2
/** A slice can run this many timers for each timer that a turn adds. */
const CATCH_UP = 2
/** A slice can run at most this many timers for each timer of other work, because callbacks can set further timers. */
const LONGEST_CHAIN = 64

/** Milliseconds that the slices of all wheels of this thread took. To a wheel, slices of other wheels are not other work. */
let sliced = 0

export class SliceBudget {
  /** Milliseconds. 0: a slice is one callback. */
  budget: number
  /** The last slice left due timers. */
  isBehind = false

  /** Milliseconds that the present slice needs under this load. */
  private needed = 0
  private startedAt = 0
  private endedAt = 0
  private slicedAtEnd = 0
  private pendingAtStart = 0
  private pendingAtEnd = 0
  private lastRan = 0

  // Sums over recent turns. An older turn counts less.
  private turns = 0
  private otherTime = 0
  private sliceTime = 0
  private ran = 0
  /** The timers added in slices and by other work, minus those that were cleared. */
  private added = 0
  /** The part of `added` that other work has added. */
  private brought = 0

  constructor(budget: number) {
    this.budget = budget
  }

  /** Milliseconds that the present slice can take while the first timer in line is late. */
  get limit(): number {
    return Math.max(this.budget, this.needed)
  }

  /** Called when a slice begins. @param pending the number of pending timers */
  begin(now: number, pending: number): void {
    this.needed = 0
    if (this.isBehind) {
      this.addTurn(now, pending)
      this.needed = Math.max(this.otherTime / this.turns, this.timeOfAdded())
    }
    this.startedAt = now
    this.pendingAtStart = pending
    // If a callback throws, `end` is not called.
    this.keepEnd(now, 0, pending)
  }

  /** Called when a slice ends with due timers left. @param ran the number of callbacks that it ran */
  end(now: number, ran: number, pending: number): void {
    if (this.budget === 0) return
    if (!this.isBehind) this.reset()
    const took = now - this.startedAt
    sliced += took
    this.sliceTime += took
    this.ran += ran
    this.isBehind = true
    this.keepEnd(now, ran, pending)
  }

  /** Whether the present slice, which ends now, took at least twice the budget. */
  isOverrun(now: number): boolean {
    return this.budget > 0 && this.duration(now) >= 2 * this.budget
  }

  /** Milliseconds that the present slice has taken. */
  duration(now: number): number {
    return now - this.startedAt
  }

  /** Called when a slice ends without due timers left. */
  catchUp(): void {
    this.isBehind = false
  }

  private keepEnd(now: number, ran: number, pending: number): void {
    this.endedAt = now
    this.slicedAtEnd = sliced
    this.lastRan = ran
    this.pendingAtEnd = pending
  }

  /** Adds the turn that has passed since the last slice began, with all of its other work. */
  private addTurn(now: number, pending: number): void {
    const kept = 1 - 1 / TURNS
    this.turns = this.turns * kept + 1
    this.otherTime = this.otherTime * kept + Math.max(0, now - this.endedAt - (sliced - this.slicedAtEnd))
    this.sliceTime *= kept
    this.ran *= kept
    this.added = this.added * kept + pending - this.pendingAtStart + this.lastRan
    this.brought = this.brought * kept + pending - this.pendingAtEnd
  }

  private timeOfAdded(): number {
    const count = Math.min(CATCH_UP * this.added, LONGEST_CHAIN * this.brought)
    return this.ran > 0 ? ((count / this.turns) * this.sliceTime) / this.ran : 0
  }

  private reset(): void {
    this.turns = QUIET_TURNS
    this.otherTime = this.sliceTime = this.ran = this.added = this.brought = 0
  }
}
