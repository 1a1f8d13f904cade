/**
 * Lazy refresh: `refresh()` of a handle writes one number and nothing else.
 *
 * A timer with a handle has two deadlines:
 *
 *   registered   in its record; the core expires the record then
 *   true         follows from the handle: the time of its last refresh plus its delay
 *
 * A refresh only makes the true deadline later, so the registered one is never later than the true one. The refresh stores
 * an order number in the handle (`_order`); a log has the time of that number (refresh-log.ts). With a million timers each
 * access to a record is a cache miss, so a refresh does not touch the record. The record gets its true deadline when the
 * registered one expires (`applyRefreshes` in expiry.ts), or before the delay of the handle changes (`applyRefresh`).
 */
import { INEXACT, NOW } from '../../memory/layout.js'
import { Deadlines } from './deadlines.js'
import { type Handle, NOT_REFRESHED } from './timer-target.js'

export abstract class LazyRefresh extends Deadlines {
  /**
   * Counts the delay of a pending timer from now. Its deadline must follow from its delay: not `NOT_REFRESHABLE`. O(1).
   */
  refresh(handle: Handle): void {
    handle._order = this.stamp()
  }

  /** Returns an order number for a refresh now; the log gets its time. O(1). */
  stamp(): number {
    // A separate function, because after a call the engine would have to check these objects again.
    if (this.order >= this.epochEnd) return this.stampFirst()
    const { order } = this
    // The sum is a small integer: see LAST_ORDER.
    this.order = (order + 1) | 0
    this.lastRefresh = order
    return order
  }

  /** Does the same as the first operation of an epoch. */
  private stampFirst(): number {
    this.openEpoch()
    if (this.isExact) this.logRefresh(this.order, this.reals[NOW]!)

    const { order } = this
    if (this.isExact) this.unlogged = order + 1
    this.order = order + 1
    this.lastRefresh = order
    return order
  }

  /** Writes the true deadline of a refreshed handle into its record. Then the handle's delay can change. O(log n). */
  applyRefresh(unit: number, handle: Handle): void {
    if (handle._order < 0) return
    if (handle._order >= this.unlogged) this.settledNow()
    // The call above can have renumbered the timers and applied all refreshes.
    if (handle._order >= 0) this.scheduleRefreshed(unit, handle, this.refreshedDue(handle))
  }

  /** Gives the record of a refreshed timer its true deadline `due`. */
  scheduleRefreshed(unit: number, handle: Handle, due: number): void {
    this.makeRoom()
    this.words[INEXACT] = 1
    const stage = this.stageOf(unit, due)
    this.setDeadline(unit, stage, handle._order, stage === due ? 0 : due)
    handle._order = NOT_REFRESHED
  }
}
