/**
 * A group of timers with one callback and one delay: see api/group.ts. One record of the wheel stands for all members of the
 * group. It is due no later than the first member. When it expires, `expire` runs that member, and the record stays
 * the present expiration. So the scheduler calls `expire` again, until no member is due: see scheduler/group-timers.ts.
 */

import type { TimerGroup } from '../../api/group.js'
import { checkCallback, checkDelay, checkMember, checkUnref } from '../../common/checks.js'
import { FOREVER } from '../../common/constants.js'
import { groupStopped } from '../../common/errors.js'
import { CLEAR } from '../../common/symbols.js'
// biome-ignore format: a list of words
import {
  advanceGroup, endGroup, memberDue, noteRun, orderAfter, postponeGroup, startGroup,
} from '../scheduler/group-timers.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import {
  type GroupRecord,
  type Handle,
  NOT_REFRESHABLE,
  type UnexpiredMember,
} from '../scheduler/timer-target.js'
import { Batches, STRETCH } from './batches.js'
import { Members, NO_PLACE, SPAN } from './members.js'

/** A group with this many spans or fewer looks for its first member each time. Beyond that, scans pick members in advance. */
const SMALL = 8
/** A scan looks at this many members in a millisecond at most, on average. */
const SCANNED_PER_MS = 20_000

const inspect = Symbol.for('nodejs.util.inspect.custom')
const resolved = Promise.resolve()

class Group<T = unknown> extends Members<T> implements TimerGroup<T>, GroupRecord {
  _ms: number
  readonly _order = NOT_REFRESHABLE
  readonly isGroup = true
  private readonly onExpire: (item: T) => unknown
  readonly keepsAlive: boolean
  unit = 0
  /** Whether the group is closed at the end of the turn if it is still empty. */
  #closesLater = false
  /** The order of the members of a large group. */
  private batches: Batches | undefined
  /** The first member of a small group, and its order number. */
  private leastPlace = NO_PLACE
  private leastOrder = 0
  #isStopped = false

  /** @param open opens the wheel, after the arguments were checked */
  constructor(onExpire: (item: T) => unknown, delay: number, options: unknown, open: () => Scheduler) {
    checkCallback(onExpire)
    checkDelay(delay)
    // Without this option, that of the wheel holds.
    const unref = checkUnref(options)
    super(open())
    this.onExpire = onExpire
    this._ms = delay
    this.keepsAlive = !(unref ?? this.wheel.isUnref)
  }

  get delay(): number {
    return this._ms
  }

  set delay(delay: number) {
    checkDelay(delay)
    const { wheel, size, _ms: former } = this
    this._ms = delay
    // The log keeps the times of order numbers for this long.
    wheel.longestDelay = Math.max(wheel.longestDelay, this.wait)
    if (delay < former && size > 0) advanceGroup(wheel, this.unit, this.nextEvent())
  }

  add(item: T): number {
    const { wheel } = this
    if (this.#isStopped || wheel.stopped) throw groupStopped()
    wheel.checkRoom()
    if (this.unit === 0) startGroup(wheel, this)
    if (this.free === NO_PLACE) this.makePlace()
    return this.addMember(item, wheel.stamp())
  }

  touch(member: number): boolean {
    if (typeof member !== 'number') checkMember(member)
    const place = this.find(member)
    if (place === NO_PLACE) return false
    this.pool.orders[place] = this.wheel.stamp()
    return true
  }

  has(member: number): boolean {
    checkMember(member)
    return this.find(member) !== NO_PLACE
  }

  delete(member: number): boolean {
    if (typeof member !== 'number') checkMember(member)
    const place = this.find(member)
    if (place === NO_PLACE) return false
    this.removeMember(place)
    if (this.size === 0 && !this.#closesLater) this.closeLater()
    return true
  }

  clear(): void {
    for (const place of this.places()) this.removeMember(place)
    this.close()
  }

  set [CLEAR](_wheelIsCleared: true) {
    this.clear()
  }

  stop(): T[] {
    const left = [...this]
    this.clear()
    this.#isStopped = true
    return left
  }

  [inspect](): string {
    return `TimerGroup { size: ${this.size}, delay: ${this.delay} }`
  }

  // ---- for the scheduler --------------------------------------------------------------------------------------------

  expire(): void {
    const { wheel } = this
    if (this.size === 0) {
      this.close()
      // No callback has run.
      wheel.isUndrained = false
      return
    }
    const first = this.first()
    if (first === NO_PLACE) return this.scan()
    const due = this.dueOf(first)
    const order = this.orderAt(first)
    if (due > wheel.advanced) return postponeGroup(wheel, this.unit, due, order)
    const { onExpire, unit } = this
    const item = this.removeMember(first)
    noteRun(wheel, unit, due, order)
    if (this.size === 0) this.close()
    onExpire(item)
  }

  forgetOrder(): void {
    this.batches = undefined
    this.leastPlace = NO_PLACE
  }

  override drop(): void {
    super.drop()
    this.unit = 0
  }

  get invocation(): Handle['invocation'] {
    return { callback: this.onExpire as never, args: [], hasRef: this.keepsAlive }
  }

  unexpired(): UnexpiredMember<T>[] {
    return Array.from(this.places(), (place) => ({
      item: this.itemAt(place),
      due: this.dueOf(place),
      order: this.orderAt(place),
    }))
  }

  // ---- the record ---------------------------------------------------------------------------------------------------

  /** Closes an empty group at the end of the turn, because groups are often empty for a moment. In virtual time, a turn has no end. */
  private closeLater(): void {
    if (this.wheel.backend.virtual !== undefined) return this.close()
    this.#closesLater = true
    resolved.then(() => {
      this.#closesLater = false
      if (this.size === 0) this.close()
    })
  }

  /** Gives the places of a group without members back, and ends its record. */
  private close(): void {
    this.forgetOrder()
    this.giveBackPlaces()
    if (this.unit !== 0) endGroup(this.wheel, this)
  }

  // ---- order --------------------------------------------------------------------------------------------------------

  /** The delay in milliseconds, at least a tick. */
  private get wait(): number {
    return Math.max(this._ms, this.wheel.tick)
  }

  private dueOf(place: number): number {
    return memberDue(this.wheel, this.orderAt(place), this._ms)
  }

  /** The place of the member that is due next; `NO_PLACE`: a scan comes first. */
  private first(): number {
    const batches = this.large()
    if (batches === undefined) return this.least()
    if (batches.findFirst(this.orders, this.spans)) {
      const due = this.dueOf(batches.place)
      if (due <= this.wheel.advanced || (!batches.isScanning && due <= this.scanTick(batches)))
        return batches.place
    }
    return NO_PLACE
  }

  /** The place of the member with the least order number. */
  private least(): number {
    // It stays the first until it is touched or removed, because later order numbers are greater.
    if (this.leastPlace !== NO_PLACE && this.orderAt(this.leastPlace) === this.leastOrder)
      return this.leastPlace
    let least = FOREVER
    let first = NO_PLACE
    const { orders } = this
    for (const span of this.spans) {
      for (let place = span; place < span + SPAN; place++) {
        // The order number of a free place is negative.
        const order = orders[place]!
        if (order < 0 || order >= least) continue
        least = order
        first = place
      }
    }
    this.leastPlace = first
    this.leastOrder = least
    return first
  }

  /** The batches of a large group. */
  private large(): Batches | undefined {
    if (this.batches === undefined && this.spans.length > SMALL) this.batches = new Batches()
    return this.batches
  }

  /** Milliseconds from the start of a scan to the time up to which its members are due, at least; and to the next scan. */
  private get period(): number {
    return Math.min(this.wait, Math.max(this.wait / 4, this.size / SCANNED_PER_MS, this.wheel.tick))
  }

  /** Milliseconds by which a scan of many stretches starts before the first of its members can be due. */
  private get lead(): number {
    return this.spans.length <= STRETCH ? 0 : Math.min(this.period / 2, this.wait - this.period)
  }

  /** The tick of the next scan. */
  private scanTick({ pickedUntil, startedAt }: Batches): number {
    // A scan serves at least a tick. The quotient can be rounded down to a tick less.
    return Math.max(Math.floor((pickedUntil + this.wait - this.lead) / this.wheel.tick), startedAt + 1)
  }

  /** Starts a scan, goes on with it, or waits for the next event. */
  private scan(): void {
    const { wheel } = this
    const batches = this.batches!
    wheel.isUndrained = false
    if (!batches.isScanning) {
      const scanTick = this.scanTick(batches)
      if (scanTick > wheel.advanced) {
        return postponeGroup(wheel, this.unit, scanTick, 0)
      }
      const until = wheel.advanced * wheel.tick - this.wait + this.lead + this.period
      batches.startScan(orderAfter(wheel, until), until, wheel.advanced)
    }
    batches.scan(this.orders, this.spans)
    // Other timers of the wheel run first if no member that was not picked yet can be due in the next tick.
    const isEarly = (batches.pickedUntil + this.wait) / wheel.tick > wheel.advanced + 2
    if (batches.isScanning && isEarly) postponeGroup(wheel, this.unit, wheel.advanced + 1, 0)
  }

  /** Returns the tick at which the group has something to do next, or an earlier one. */
  private nextEvent(): number {
    const batches = this.large()
    const first = this.first()
    if (first !== NO_PLACE) return this.dueOf(first)
    return batches === undefined || batches.isScanning ? this.wheel.advanced : this.scanTick(batches)
  }
}

/** @param open opens the wheel of the group. @throws Error if it was stopped */
export const openGroup = <T>(
  open: () => Scheduler,
  onExpire: (item: T) => unknown,
  delay: number,
  options: unknown,
): TimerGroup<T> => new Group(onExpire, delay, options, open)
