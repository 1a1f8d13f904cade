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
 * sixteen levels, 5 MB, cover 24 days. A level stores the low 32 bits of its times in units of its grid, so its entries must
 * leave it before they are 2^32 units old.
 */

/** The age, in milliseconds, at which an error of one millisecond does not matter. */
const UNIT_AGE = 2 ** 15
/** The number of entries that stay in a level at any age. */
const EXACT_ENTRIES = 2 ** 12
/** The number of entries that can leave a level at an append: one more than can enter it. */
const MOVES_PER_APPEND = 2
/** In units of a level's grid: the age at which an entry leaves it in any case, and the most that passes between two checks. */
const OLDEST = 2 ** 31
const LONGEST_PASS = 2 ** 30
const FIRST_CAPACITY = 64
/** Beyond the entries that a level needs, it grows by this many, because few more follow. */
const GROWTH = 2 ** 10

/** A ring of entries. */
class Level {
  /** Called before each growth beyond the size that most logs need. */
  readonly onLarge: () => void
  orders = new Int32Array(FIRST_CAPACITY)
  /** The low 32 bits of the times, in units of the grid. */
  times = new Uint32Array(FIRST_CAPACITY)
  length = 0
  private first = 0
  /** The entry that the last search found. */
  private found = 0

  constructor(onLarge: () => void) {
    this.onLarge = onLarge
  }

  orderAt(i: number): number {
    return this.orders[this.indexOf(i)]!
  }

  timeAt(i: number): number {
    return this.times[this.indexOf(i)]!
  }

  /** Makes room for the next entry and returns its index. */
  nextIndex(): number {
    if (this.length === this.orders.length) this.grow()
    return this.indexOf(this.length)
  }

  dropFirst(): void {
    const next = this.first + 1
    this.first = next === this.orders.length ? 0 : next
    this.length--
    this.found--
  }

  /** The first entry for which `isLater` holds; `length` if there is none. It holds for all entries after one of them. O(log length). */
  findLater(isLater: (i: number) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isLater(middle)) high = middle
      else low = middle + 1
    }
    return low
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

  private indexOf(i: number): number {
    const index = this.first + i
    return index < this.orders.length ? index : index - this.orders.length
  }

  private grow(): void {
    const capacity = this.length < UNIT_AGE ? 2 * this.length : this.length + GROWTH
    if (capacity > EXACT_ENTRIES) this.onLarge()
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

  /**
   * Adds that the refreshes from `order` on were no later than `time`, in whole milliseconds. `order` never decreases. O(1)
   * amortised. An interruption at any time leaves no refresh with a time that is too early.
   */
  append(order: number, time: number): void {
    // The newest entry covers these as well.
    if (time <= this.newest) return
    if (time - this.newest > LONGEST_PASS) this.passTime(time)
    const level = this.level(0)
    const index = level.nextIndex()
    level.orders[index] = order
    level.times[index] = time >>> 0
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
      const next = level.length > 1 ? this.timeAt(oldest, 1) : this.firstTimeBelow(oldest)
      if (next >= time) return
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
    for (let k = 0; k < this.levels.length; k++) {
      const level = this.levels[k]!
      if (level.length > 0 && level.orderAt(0) <= order) return this.timeAt(k, level.find(order))
    }
    return this.newest
  }

  /** The order number from which on all refreshes were later than `time`; undefined if none was. O(log length). */
  orderAfter(time: number): number | undefined {
    for (let k = this.levels.length - 1; k >= 0; k--) {
      const level = this.levels[k]!
      const i = level.findLater((at) => this.timeAt(k, at) > time)
      if (i < level.length) return level.orderAt(i)
    }
    return undefined
  }

  private level(k: number): Level {
    while (this.levels.length <= k) this.levels.push(new Level(this.onLarge))
    return this.levels[k]!
  }

  /** Lets time pass without a refresh, so that no entry is too old for its level. O(length). */
  private passTime(time: number): void {
    for (;;) {
      let finest = 0
      while (finest < this.levels.length && this.levels[finest]!.length === 0) finest++
      // No entry is left, or all are in a level whose grid is coarse.
      const pass = LONGEST_PASS * 2 ** finest
      if (finest === this.levels.length || time - this.newest <= pass) return
      this.newest += pass
      this.age()
    }
  }

  /** Moves entries that are old enough to the next level, a few of each level at a time. */
  private age(): void {
    for (let k = 0; k < this.levels.length; k++) {
      const level = this.levels[k]!
      const grid = 2 ** (k + 1)
      const old = this.newest - (grid - 1) * UNIT_AGE
      const tooOld = this.newest - OLDEST * 2 ** k
      for (let moves = 0; level.length > 0; moves++) {
        const time = this.timeAt(k, 0)
        const isMove = moves < MOVES_PER_APPEND && level.length > EXACT_ENTRIES && time <= old
        if (!isMove && time > tooOld) break
        this.handOn(k + 1, level.orderAt(0), Math.ceil(time / grid) * grid)
        level.dropFirst()
      }
    }
  }

  /** Adds an older entry to level `k`, unless its newest entry has the same time and so covers it. */
  private handOn(k: number, order: number, time: number): void {
    const level = this.level(k)
    const low = (time / 2 ** k) >>> 0
    if (level.length > 0 && level.timeAt(level.length - 1) === low) return
    const index = level.nextIndex()
    level.orders[index] = order
    level.times[index] = low
    level.length++
  }

  private firstTimeBelow(k: number): number {
    let finer = k - 1
    while (this.levels[finer]!.length === 0) finer--
    return this.timeAt(finer, 0)
  }

  /** The time of entry `i` of level `k`: not after the newest entry, unless it was rounded up past it. */
  private timeAt(k: number, i: number): number {
    const grid = 2 ** k
    // Rounded up, as the times are.
    const newest = Math.ceil(this.newest / grid)
    return (newest - (((newest >>> 0) - this.levels[k]!.timeAt(i)) >>> 0)) * grid
  }
}
