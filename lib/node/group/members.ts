/**
 * The members of groups. A member is not an object: it is a number, made of its place and of the generation of that place. So a
 * number that is out of date names nothing.
 *
 *   number of a member = (round * 2^16 + generation) * 2^26 + place
 *
 * All groups of a wheel share a pool of places, which has three columns:
 *
 *   column       of a member                              of a free place
 *   orders       order number of the last add or touch    -2 minus the next free place of the group
 *   generations  odd                                      even
 *   items        the item                                 undefined
 *
 * A group takes places in spans of eight. Each span has an owner and a round. A touch of one of a million members reads memory that
 * is in no cache, so it reads few bytes: a generation has only 16 bits. When the generations of all places of a span are used up, its
 * next round begins.
 */
import { wheelFull } from '../../common/errors.js'
import { PER_GENERATION } from '../scheduler/id-timers.js'
import type { Scheduler } from '../scheduler/scheduler.js'

/** No place. */
export const NO_PLACE = -1
const PLACE_MASK = PER_GENERATION - 1
export const SPAN_SHIFT = 3
/** The places of a span. */
export const SPAN = 2 ** SPAN_SHIFT
/** A free place with this generation is not used again in this round. */
export const USED_UP = 2 ** 16 - 2
const PER_ROUND = 2 ** 16
/** The last round, because numbers are below 2^53. */
export const LAST_ROUND = 2 ** 11 - 1
/** The pool grows by this many spans at least, and by 1/4. */
const LEAST_GROWTH = 2 ** 8

class MemberPool {
  orders = new Int32Array(0)
  generations = new Uint16Array(0)
  /** The number of the group that has each span. */
  owners = new Int32Array(0)
  rounds = new Uint16Array(0)
  readonly items: unknown[] = []
  /** The groups that have ever used the pool. */
  groups = 0
  private readonly freeSpans: number[] = []
  /** The number of spans that were ever taken. */
  private taken = 0

  get bytes(): number {
    return 14 * this.orders.length + 6 * this.owners.length
  }

  /** Takes a span for a group without free places, and returns its first free place; `NO_PLACE`: all its numbers are used up. */
  takeSpan(spans: number[], owner: number): number {
    const { freeSpans } = this
    if (freeSpans.length === 0 && this.taken === this.owners.length) this.grow()
    const span = freeSpans.pop() ?? this.taken++
    this.owners[span] = owner
    const free = this.link(span, NO_PLACE)
    // Last, because it makes the places those of the group.
    spans.push(span * SPAN)
    return free
  }

  /**
   * Begins the next round of a span if all its places are used up.
   *
   * @param free the first free place of the group
   * @returns the first free place after that
   */
  renew(span: number, free: number): number {
    const { generations, rounds } = this
    const first = span * SPAN
    for (let place = first; place < first + SPAN; place++) if (generations[place] !== USED_UP) return free
    if (rounds[span] === LAST_ROUND) return free
    rounds[span] = rounds[span]! + 1
    generations.fill(0, first, first + SPAN)
    return this.link(span, free)
  }

  /** Puts the usable places of a span before the free places of a group. Returns the first. */
  private link(span: number, free: number): number {
    for (let place = (span + 1) * SPAN - 1; place >= span * SPAN; place--) {
      this.orders[place] = -2 - free
      if (this.generations[place] !== USED_UP) free = place
    }
    return free
  }

  /** Takes the spans of a group without members back. */
  giveBack(spans: number[]): void {
    while (spans.length > 0) this.freeSpans.push(spans.pop()! / SPAN)
  }

  private grow(): void {
    const spans = this.taken + Math.max(LEAST_GROWTH, this.taken >> 2)
    if (spans * SPAN > PER_GENERATION) throw wheelFull(this.taken * SPAN)
    this.rounds = copyInto(new Uint16Array(spans), this.rounds)
    this.orders = copyInto(new Int32Array(spans * SPAN), this.orders)
    this.generations = copyInto(new Uint16Array(spans * SPAN), this.generations)
    // Last, because its length is that of the pool.
    this.owners = copyInto(new Int32Array(spans), this.owners)
  }
}

function copyInto<Column extends Int32Array | Uint16Array>(longer: Column, column: Column): Column {
  longer.set(column)
  return longer
}

export abstract class Members<T> {
  readonly wheel: Scheduler
  protected pool: MemberPool
  /** Private, so that methods need their object. */
  readonly #owner: number
  #count = 0
  /** The first places of the spans. */
  protected readonly spans: number[] = []
  /** The first free place; each names the next. */
  protected free = NO_PLACE

  constructor(wheel: Scheduler) {
    this.wheel = wheel
    wheel.pool ??= new MemberPool()
    this.pool = wheel.pool as MemberPool
    this.#owner = ++this.pool.groups
  }

  /** The order number of each place: see the top of the file. */
  get orders(): Int32Array {
    return this.pool.orders
  }

  get size(): number {
    return this.#count
  }

  /** Returns the place of a member; `NO_PLACE`: there is no such member. O(1). @param member any number */
  protected find(member: number): number {
    const place = member & PLACE_MASK
    const { generations, owners, rounds } = this.pool
    const span = place >>> SPAN_SHIFT
    // Of a place that does not exist, this is undefined, which counts as 0.
    const generation = generations[place]!
    if ((generation & 1) === 0 || owners[span] !== this.#owner) return NO_PLACE
    return (rounds[span]! * PER_ROUND + generation) * PER_GENERATION + place === member ? place : NO_PLACE
  }

  /** Makes a free place for `addMember`. @throws RangeError if there is no memory for another place */
  protected makePlace(): void {
    while (this.free === NO_PLACE) this.free = this.pool.takeSpan(this.spans, this.#owner)
  }

  /** Adds a member to the first free place. Returns the member's number. */
  protected addMember(item: T, order: number): number {
    const { pool, free: place } = this
    const { orders, generations } = pool
    const generation = generations[place]! + 1
    this.free = -2 - orders[place]!
    orders[place] = order
    generations[place] = generation
    pool.items[place] = item
    this.#count++
    this.wheel.added++
    return (pool.rounds[place >>> SPAN_SHIFT]! * PER_ROUND + generation) * PER_GENERATION + place
  }

  /** Removes a member and returns its item. */
  protected removeMember(place: number): T {
    const { pool } = this
    const { orders, generations, items } = pool
    const item = items[place]
    items[place] = undefined
    const generation = generations[place]! + 1
    orders[place] = -2 - this.free
    generations[place] = generation
    this.free = generation === USED_UP ? pool.renew(place >>> SPAN_SHIFT, this.free) : place
    this.#count--
    this.wheel.removed++
    return item as T
  }

  protected itemAt(place: number): T {
    return this.pool.items[place] as T
  }

  /** The order number of a member's last add or touch; negative: the place is free. */
  protected orderAt(place: number): number {
    return this.pool.orders[place]!
  }

  /** The places of all members. The caller can end members and add others, also to other groups. */
  *places(): Generator<number, void> {
    for (const span of this.spans) {
      for (let place = span; place < span + SPAN; place++) {
        // Another group has the span now.
        if (this.pool.owners[span >>> SPAN_SHIFT] !== this.#owner) break
        if (this.orderAt(place) >= 0) yield place
      }
    }
  }

  *[Symbol.iterator](): Generator<T, void> {
    for (const place of this.places()) yield this.itemAt(place)
  }

  /** Gives the places of a group without members back. */
  protected giveBackPlaces(): void {
    this.free = NO_PLACE
    this.pool.giveBack(this.spans)
  }

  /** Forgets all members, because the wheel was stopped. */
  drop(): void {
    this.pool = new MemberPool()
    this.spans.length = this.#count = 0
  }
}
