/**
 * The members of one group: places in the pool of the wheel (member-pool.ts), taken in spans. The group adds, removes and finds
 * members here, and goes through them in the order in which they were added.
 */
import type { Scheduler } from '../scheduler/scheduler.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, INDEX_MASK, MARKED_USES, MemberPool, NO_PLACE, SPAN, USED_UP,
} from './member-pool.js'

/** The owner of a group without places: no span has it, because its lower bits are not 0. */
const NO_OWNER = -1
/** An entry of the order of adding is the count of the add times this, plus the place among those of the group. */
const PER_ADD = 2 ** 27
const LAST_ADDED = 2 ** 26
const addedOf = (entry: number): number => Math.floor(entry / PER_ADD)

export abstract class Members<T> {
  readonly wheel: Scheduler
  protected readonly pool: MemberPool
  /** The number of members. */
  protected count = 0
  /** Marks the spans of the group: see `ownerFrom`. */
  protected owner = NO_OWNER
  /** The first places of the spans. */
  protected readonly spans: number[] = []
  /** The first free place; each names the next. */
  private free = NO_PLACE
  /** Counts the adds. */
  private added = 0
  /** How often the members were counted again. */
  private countings = 0

  constructor(wheel: Scheduler) {
    this.wheel = wheel
    this.pool = wheel.openPool(MemberPool)
  }

  /** Whether `makePlace` has to come before the next `addMember`. */
  protected needsPlace(): boolean {
    return this.free < 0 || this.pool.uses[this.free]! >= USED_UP || this.added >= LAST_ADDED
  }

  /** Prepares for `addMember`. @throws RangeError if there is no number for another place */
  protected makePlace(): void {
    while (this.free === NO_PLACE || this.pool.uses[this.free]! >= USED_UP) {
      if (this.free === NO_PLACE) this.grow()
      else this.free = this.pool.setAside(this.free)
    }
    if (this.added >= LAST_ADDED) this.countAgain()
  }

  /** Adds a member to a prepared place, with an order number. Returns the member's number. */
  protected addMember(item: T, order: number): number {
    const { pool, free: place } = this
    const { orders, uses } = pool
    const used = uses[place]! + 1
    const number = pool.numberOf(place, used)
    // Commit: no calls from here on.
    this.free = -2 - orders[place]!
    orders[place] = order
    pool.added[place] = this.added
    this.added = (this.added + 1) | 0
    this.count++
    this.wheel.added++
    uses[place] = used
    pool.items[place >>> BLOCK_SHIFT]![place & INDEX_MASK] = item
    return number
  }

  /** Removes a member and returns its item. */
  protected removeMember(place: number): T {
    const { pool } = this
    const used = pool.uses[place]! + 1
    if ((used & (MARKED_USES - 1)) === 0) pool.markUses(place, used)
    // Commit: no calls from here on.
    const items = pool.items[place >>> BLOCK_SHIFT]!
    const item = items[place & INDEX_MASK]
    items[place & INDEX_MASK] = undefined
    pool.uses[place] = used
    pool.orders[place] = -2 - this.free
    this.free = place
    this.count--
    this.wheel.removed++
    return item as T
  }

  protected itemAt(place: number): T {
    return this.pool.items[place >>> BLOCK_SHIFT]![place & INDEX_MASK] as T
  }

  /** The order number of a member's last add or touch. */
  protected orderAt(place: number): number {
    return this.pool.orders[place]!
  }

  /** The places of all members. O(n). */
  protected places(): number[] {
    const places: number[] = []
    for (const span of this.spans) {
      for (let place = span; place < span + SPAN; place++) if (this.isMember(place)) places.push(place)
    }
    return places
  }

  /** Gives the places of a group without members back. */
  protected giveBackPlaces(): void {
    this.owner = NO_OWNER
    this.free = NO_PLACE
    this.pool.giveBackSpans(this.spans)
  }

  /** The items in the order in which they were added. Members that are added meanwhile follow, as in a Map. */
  protected *itemsInOrder(): Generator<T, void> {
    const countings = this.countings
    let next = 0
    while (next < this.added && countings === this.countings) {
      const entries = this.entriesFrom(next)
      next = this.added
      for (const entry of entries) {
        const place = this.placeOf(entry)
        const isThere = this.isMember(place) && this.pool.added[place] === addedOf(entry)
        if (isThere) yield this.itemAt(place)
      }
    }
  }

  private isMember(place: number): boolean {
    return this.pool.isMember(place, this.owner)
  }

  private grow(): void {
    const { pool } = this
    const span = pool.prepareSpan()
    const owner = this.owner === NO_OWNER ? pool.ownerFrom(span) : this.owner
    const free = pool.linkSpan(span, owner)
    const { spans } = this
    pool.takeSpan(span)
    // Commit: no calls from here on.
    this.owner = owner
    this.free = free
    spans[spans.length] = span
  }

  /** The members that were added from the count `added` on, in that order: see `PER_ADD`. */
  private entriesFrom(added: number): Float64Array {
    const entries = new Float64Array(this.count)
    let count = 0
    this.spans.forEach((span, i) => {
      for (let n = 0; n < SPAN; n++) {
        const at = this.isMember(span + n) ? this.pool.added[span + n]! : -1
        if (at >= added) entries[count++] = at * PER_ADD + i * SPAN + n
      }
    })
    return entries.subarray(0, count).sort()
  }

  private placeOf(entry: number): number {
    const n = entry % PER_ADD
    return this.spans[Math.floor(n / SPAN)]! + (n % SPAN)
  }

  /** Counts the members from 0 again, in the order in which they were added. Runs once in 67 million adds. O(n log n). */
  private countAgain(): void {
    const entries = this.entriesFrom(0)
    this.countings++
    // If it is interrupted here, it runs again: the numbers are still in order.
    entries.forEach((entry, i) => {
      this.pool.added[this.placeOf(entry)] = i
    })
    this.added = entries.length
  }
}
