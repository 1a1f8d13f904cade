/**
 * The timers of groups. A group has one record for all of its members, which is due no later than its first member. When the
 * record expires, the group runs that member, and the record takes the place of the next member in the order of all timers.
 *
 * The time of a member's last add or touch is in the log of refreshes, as for a refreshed handle: see lazy-refresh.ts.
 */
// biome-ignore format: a list of words
import {
  DEADLINE, EXPIRATIONS, EXPIRATIONS_CAPACITY, EXPIRED, FIRST_STATE, INEXACT, NEVER, ORDER_NUMBER, REFERENCED, SPARE, TICK,
  UNREFERENCED,
} from '../../memory/layout.js'
import type { MemberPool } from '../group/member-pool.js'
import { Expiry } from './expiry.js'
import { IdSpace } from './id-space.js'
import type { Handle, TimerTarget } from './timer-target.js'

const resolved = Promise.resolve()

/** A member of a group that a stopped wheel returns. @property due in ticks */
export interface UnexpiredMember<T> {
  readonly item: T
  readonly due: number
  readonly order: number
}

/** A group, as its wheel sees it. */
export interface GroupRecord extends Handle {
  readonly isGroup: true
  readonly size: number
  readonly delay: number
  unexpired(): UnexpiredMember<unknown>[]
  /** The unit of the record; 0: it has none. */
  unit: number
  readonly keepsAlive: boolean
  /** Called at the end of a turn in which the group was empty. */
  closeIfEmpty(): void
}

export const isGroup = (target: TimerTarget): target is GroupRecord =>
  (target as Partial<GroupRecord>).isGroup === true

export abstract class GroupTimers extends Expiry {
  /** Whether no timer keeps the process alive. */
  abstract readonly isUnref: boolean
  declare pool: MemberPool
  /** Groups that have lost their last member in this turn. */
  private readonly emptied: GroupRecord[] = []
  private closesLater = false

  /** Checks that the wheel takes one more timer. @throws RangeError if `maxPending` timers are pending */
  abstract checkRoom(): void

  /** Opens the pool before the first group. */
  openPool(Pool: typeof MemberPool): void {
    this.pool ??= new Pool(new IdSpace(), () => {
      this.words[SPARE] = 1
    })
  }

  /** The tick up to which the wheel has run. */
  get reached(): number {
    return this.advanced
  }

  /** Lets the log keep the times of order numbers for a delay in milliseconds. */
  noteDelay(ms: number): void {
    if (ms > this.longestDelay) this.longestDelay = ms
  }

  /** The tick at which a member is due, with a delay in milliseconds. @param order its order number */
  memberDue(order: number, ms: number): number {
    if (order >= this.unlogged) this.logAll()
    return this.dueAfterRefresh(order, ms)
  }

  /** An order number: the operations from it on were after a time in milliseconds, and those before it were not. */
  orderAfter(time: number): number {
    this.logAll()
    return this.log.orderAfter(time * this.unitsPerMs) ?? this.order
  }

  /** Schedules the record of a group for its first member. */
  startGroup(group: GroupRecord): void {
    const unit = this.schedule(0, group, group._ms)
    // Commit: no calls, so that the counts stay right.
    group.unit = unit
    // Members that are added later in the same tick are due in the same tick, and later within it.
    this.words[INEXACT] = 1
    this.groups++
    this.totals.groups++
    if (group.keepsAlive) return
    const { words } = this
    words[REFERENCED] = words[REFERENCED]! - 1
    words[UNREFERENCED] = words[UNREFERENCED]! + 1
    if (words[REFERENCED] === 0) this.backend.idle()
  }

  /** Ends the record of a group. */
  endGroup(group: GroupRecord): void {
    this.cancel(group.unit, group.keepsAlive)
    // Commit, as above.
    group.unit = 0
    this.groups--
    if (!group.keepsAlive) this.cancelledUnreferenced()
  }

  /** Closes a group at the end of the turn, if it is empty then. */
  closeLater(group: GroupRecord): void {
    const { emptied } = this
    emptied[emptied.length] = group
    if (this.closesLater) return
    // In this order: an interruption must not leave the flag set without a microtask.
    resolved.then(this.closeEmptied)
    this.closesLater = true
  }

  /** Makes a record due at the tick `due`, unless it is due earlier. */
  advanceGroup(unit: number, due: number): void {
    // Its turn has come, or comes in the present pass.
    const tick = Math.max(due, this.advanced + 1)
    if (this.dueOf(unit, this.settledNow()) < tick) return
    this.makeRoom()
    this.words[INEXACT] = 1
    const stage = this.stageOf(unit, tick)
    this.setDeadline(unit, stage, 0, stage === tick ? 0 : tick)
  }

  /**
   * Gives a record whose turn it is the place of the group's first member in the order of all timers.
   *
   * @param due the tick at which the member is due
   * @param order the member's order number
   * @returns whether it is that member's turn now
   */
  placeGroup(unit: number, due: number, order: number): boolean {
    const { words } = this
    const record = unit << 2
    let tick = due | 0
    if (tick < 0 && tick >= FIRST_STATE) tick = 0
    const ahead = due > this.advanced ? 1 : (tick - words[TICK]!) | 0
    if (ahead > 0 || (ahead === 0 && order > this.lastOrder)) {
      // The core has not come to that place yet.
      this.makeRoom()
      this.words[INEXACT] = 1
      const stage = this.stageOf(unit, due)
      this.setDeadline(unit, stage, order, stage === due ? 0 : due)
      this.next++
      this.totals.skipped++
      this.passTurn()
      return false
    }
    const first = EXPIRATIONS + this.next + 1
    const at = this.placeAmongExpirations(first, tick, order)
    words[record + DEADLINE] = tick
    words[record + ORDER_NUMBER] = order
    this.memberTick = due
    if (at === first) return true
    this.moveExpiration(unit, at)
    this.passTurn()
    return false
  }

  /** Moves the present expiration to the place before `at`. The shorter part of the other expirations moves by one. */
  private moveExpiration(unit: number, at: number): void {
    const { words } = this
    const first = EXPIRATIONS + this.next + 1
    const end = EXPIRATIONS + words[EXPIRED]!
    if (at - first <= end - at || words[EXPIRED] === EXPIRATIONS_CAPACITY) {
      words.copyWithin(first - 1, first, at)
      words[at - 1] = unit
      if (words[EXPIRED] === EXPIRATIONS_CAPACITY) this.forgetPassed()
      return
    }
    words.copyWithin(at + 1, at, end)
    // Commit: no calls from here on.
    words[at] = unit
    words[EXPIRED] = words[EXPIRED]! + 1
    this.next++
    this.totals.skipped++
  }

  /** Makes room behind the expirations, if half of them have passed. */
  private forgetPassed(): void {
    const { words, next } = this
    if (next < EXPIRATIONS_CAPACITY / 2) return
    words.copyWithin(EXPIRATIONS, EXPIRATIONS + next, EXPIRATIONS + words[EXPIRED]!)
    // Commit: no calls from here on. The copy does not overlap the expirations.
    this.totals.passed += next
    words[EXPIRED] = words[EXPIRED]! - next
    this.next = 0
  }

  /** The turn of a record ends without a callback. */
  passTurn(): void {
    this.isUndrained = false
  }

  /** Closes the groups that are still empty. */
  readonly closeEmptied = (): void => {
    this.closesLater = false
    const { emptied } = this
    while (emptied.length > 0) {
      const group = emptied[emptied.length - 1]!
      emptied.length--
      group.closeIfEmpty()
    }
  }

  /** The place of a deadline and order number among the expirations from `first` on. O(log n) without cancelled ones. */
  private placeAmongExpirations(first: number, tick: number, order: number): number {
    const { words } = this
    let low = first
    let high = EXPIRATIONS + words[EXPIRED]!
    while (low < high) {
      const middle = (low + high) >>> 1
      let at = middle
      let comparison = this.compareExpiration(words[at]!, tick, order)
      while (comparison === 0 && ++at < high) comparison = this.compareExpiration(words[at]!, tick, order)
      if (comparison < 0) low = at + 1
      else high = middle
    }
    return low
  }

  /** Below 0: an expiration runs before a deadline and order number. 0: it does not run in this pass any more. */
  private compareExpiration(unit: number, tick: number, order: number): number {
    const { words } = this
    const record = unit << 2
    const deadline = words[record + DEADLINE]!
    // A callback has cancelled or moved it.
    if (unit === 0 || deadline === NEVER || ((this.targetTick - deadline) | 0) < 0) return 0
    return (deadline - tick) | 0 || words[record + ORDER_NUMBER]! - order
  }
}
