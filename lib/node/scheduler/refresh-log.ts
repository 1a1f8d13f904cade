/**
 * A log with the times of refreshes, by order number. A refreshed handle stores only the order number of its refresh; its
 * deadline follows from the time in the log.
 *
 *   level 0, 1 ms     order      64      140      201        the first refresh of each entry
 *                     time     1000     1001     1005        no refresh of it was later: milliseconds, rounded up
 *   level 1, 2 ms     order       2       17
 *                     time      996      998                 older entries, rounded up to 2 ms; level 2: to 4 ms; ...
 *
 * The delay of a pending timer is at least the age of its refresh. So an entry can become less exact with age: level k
 * rounds to 2^k ms, at an age of at least (2^k - 1) * 32,768 ms, and no timer is late by more than 1/32,768 of its delay.
 * Each grid contains all coarser ones, so rounding twice adds nothing. A level has at most some 36,000 entries, and
 * sixteen levels, 5 MB, cover 24 days.
 */

/** The age, in milliseconds, at which an error of one millisecond does not matter. */
const UNIT_AGE = 2 ** 15
/** The number of entries that stay in a level at any age. */
const EXACT_ENTRIES = 2 ** 12
/** The number of entries that can leave a level at an append: one more than can enter it. */
const MOVES_PER_APPEND = 2
const FIRST_CAPACITY = 64
/** Beyond the entries that a level needs, it grows by this many, because few more follow. */
const GROWTH = 2 ** 10

/** A ring of entries. */
class Level {
  /** Called before each growth beyond the size that most logs need. */
  readonly #onLarge: () => void
  orders = new Int32Array(FIRST_CAPACITY)
  /** The low 32 bits of the times. */
  times = new Uint32Array(FIRST_CAPACITY)
  length = 0
  private first = 0
  /** The entry that the last search found. */
  private found = 0

  constructor(onLarge: () => void) {
    this.#onLarge = onLarge
  }

  orderAt(i: number): number {
    return this.orders[this.placeOf(i)]!
  }

  timeAt(i: number): number {
    return this.times[this.placeOf(i)]!
  }

  /** Makes room for the next entry and returns its place. */
  nextPlace(): number {
    if (this.length === this.orders.length) this.grow()
    return this.placeOf(this.length)
  }

  dropFirst(): void {
    const next = this.first + 1
    this.first = next === this.orders.length ? 0 : next
    this.length--
    this.found--
  }

  /** The last entry that begins at or before `order`. There must be one. O(log length). */
  find(order: number): number {
    let low = 0
    let high = this.length
    // Timers that expire together were mostly refreshed together.
    const guess = this.found
    if (guess >= 0 && guess < high) {
      if (this.orderAt(guess) <= order) {
        low = guess
        if (guess + 1 < high && order < this.orderAt(guess + 1)) high = guess + 1
      } else high = guess
    }
    while (high - low > 1) {
      const middle = low + ((high - low) >> 1)
      if (this.orderAt(middle) <= order) low = middle
      else high = middle
    }
    this.found = low
    return low
  }

  private placeOf(i: number): number {
    const place = this.first + i
    return place < this.orders.length ? place : place - this.orders.length
  }

  private grow(): void {
    const capacity = this.length < UNIT_AGE ? 2 * this.length : this.length + GROWTH
    if (capacity > EXACT_ENTRIES) this.#onLarge()
    const orders = new Int32Array(capacity)
    const times = new Uint32Array(capacity)
    for (let i = 0; i < this.length; i++) {
      orders[i] = this.orderAt(i)
      times[i] = this.timeAt(i)
    }
    this.orders = orders
    this.times = times
    this.first = 0
  }
}

export class RefreshLog {
  private readonly levels: Level[] = []
  /** The time of the newest entry. With it, the low bits of the other times are enough. */
  private newest = Number.NEGATIVE_INFINITY
  private readonly onLarge: () => void

  /** @param onLarge called before each growth of a level beyond the size that most logs need */
  constructor(onLarge: () => void = () => {}) {
    this.onLarge = onLarge
  }

  get length(): number {
    return this.levels.reduce((sum, { length }) => sum + length, 0)
  }

  /** The memory of all levels, in bytes. */
  get bytes(): number {
    return this.levels.reduce((sum, { orders, times }) => sum + orders.byteLength + times.byteLength, 0)
  }

  /** Whether `time` is too far from the newest entry for times of 32 bits. Then the log must be cleared first. */
  isOutgrownBy(time: number): boolean {
    return this.length > 0 && time - this.newest > 2 ** 30
  }

  /**
   * Notes that the refreshes from `order` on were no later than `time`, in whole milliseconds. `order` never decreases. O(1)
   * amortised. An interruption between any two steps leaves no refresh with a time that is too early.
   */
  append(order: number, time: number): void {
    // The newest entry covers these as well.
    if (time <= this.newest) return
    const level = this.level(0)
    const place = level.nextPlace()
    level.orders[place] = order
    level.times[place] = time >>> 0
    level.length++
    this.newest = time
    this.age()
  }

  /** Drops the refreshes before `time`, which no pending timer needs. The newest entry stays. O(1). */
  forget(time: number): void {
    let oldest = this.levels.length - 1
    while (oldest > 0 && this.levels[oldest]!.length === 0) oldest--
    const level = this.levels[oldest]
    if (level === undefined) return
    for (let moves = 0; moves < MOVES_PER_APPEND && level.length > (oldest === 0 ? 1 : 0); moves++) {
      const next = level.length > 1 ? level.timeAt(1) : this.firstTimeBelow(oldest)
      if (this.whole(next) >= time) return
      level.dropFirst()
    }
  }

  /** Drops all entries. Then order numbers can start again. */
  clear(): void {
    this.levels.length = 0
    this.newest = Number.NEGATIVE_INFINITY
  }

  /** The time from which the delay of a refresh counts, in milliseconds. O(log length). */
  timeOf(order: number): number {
    for (const level of this.levels) {
      if (level.length > 0 && level.orderAt(0) <= order) return this.whole(level.timeAt(level.find(order)))
    }
    return this.newest
  }

  private level(k: number): Level {
    while (this.levels.length <= k) this.levels.push(new Level(this.onLarge))
    return this.levels[k]!
  }

  /** Moves entries that are old enough to the next level, a few of each level at a time. */
  private age(): void {
    for (let k = 0; k < this.levels.length; k++) {
      const level = this.levels[k]!
      const grid = 2 ** (k + 1)
      const old = this.newest - (grid - 1) * UNIT_AGE
      for (let moves = 0; moves < MOVES_PER_APPEND && level.length > EXACT_ENTRIES; moves++) {
        const time = this.whole(level.timeAt(0))
        if (time > old) break
        this.handOn(this.level(k + 1), level.orderAt(0), Math.ceil(time / grid) * grid)
        level.dropFirst()
      }
    }
  }

  /** Adds an older entry, unless the newest entry of the level has the same time and so covers it. */
  private handOn(level: Level, order: number, time: number): void {
    const low = time >>> 0
    if (level.length > 0 && level.timeAt(level.length - 1) === low) return
    const place = level.nextPlace()
    level.orders[place] = order
    level.times[place] = low
    level.length++
  }

  private firstTimeBelow(k: number): number {
    let finer = k - 1
    while (this.levels[finer]!.length === 0) finer--
    return this.levels[finer]!.timeAt(0)
  }

  /** The time with the low bits `low`: at or before the newest entry, by less than 49 days. */
  private whole(low: number): number {
    return this.newest - (((this.newest >>> 0) - low) >>> 0)
  }
}
