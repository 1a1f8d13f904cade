/**
 * A log with the times of refreshes, by order number. A refreshed handle stores only the order number of its refresh; its
 * deadline follows from the time in the log.
 *
 *   order     2     17     64    140    201     the first refresh of each entry
 *   time    996    998   1000   1001   1005     no refresh of it was later: milliseconds, rounded up
 *
 * The delay of a pending timer is at least the age of its refresh. So an entry of a long log can become less exact with age: from an
 * age of 32,768 * 2^k ms on, its time is rounded up to a multiple of 2^k ms, and neighbours with the same time become one. So no timer is
 * late by more than 1/32,768 of its delay. Multiples of 2^k contain those of 2^(k+1), so rounding twice adds nothing. A program that
 * refreshes in every millisecond of 24 days has some 560,000 entries.
 */

/** The age, in milliseconds, at which an error of one millisecond does not matter. */
const UNIT_AGE = 2 ** 15
/** The newest entries stay as they are. */
const EXACT_ENTRIES = 2 ** 12
const FIRST_CAPACITY = 64
/** Times are rounded to at most this, in milliseconds: 35 years. */
const LARGEST_UNIT = 2 ** 40
/** With more entries than this, it has room for an eighth more, because it needs few more. With fewer it has room for twice as many. */
const MANY = 2 ** 15
/** The number of entries that can be dropped at an append. */
const DROPS = 2

export class RefreshLog {
  private orders = new Int32Array(0)
  private times = new Float64Array(0)
  /** The first entry that was not dropped, and the end of the entries. */
  private first = 0
  private end = 0
  /** The entry that the last search found. */
  private found = 0

  get length(): number {
    return this.end - this.first
  }

  /** The memory of all entries, in bytes. */
  get bytes(): number {
    return this.orders.byteLength + this.times.byteLength
  }

  /** The time of the newest entry. */
  private get newest(): number {
    return this.end === 0 ? Number.NEGATIVE_INFINITY : this.times[this.end - 1]!
  }

  /**
   * Adds that the refreshes from `order` on were no later than `time`, in whole milliseconds. `order` never decreases. O(1)
   * amortised.
   */
  append(order: number, time: number): void {
    // The newest entry covers these as well.
    if (time <= this.newest) return
    if (this.end === this.orders.length) this.roundOld()
    this.times[this.end] = time
    this.orders[this.end] = order
    this.end++
  }

  /** Drops the refreshes before `time`, which no pending timer needs. The newest entry stays. O(1). */
  forget(time: number): void {
    for (let drops = 0; drops < DROPS && this.length > 1; drops++) {
      if (this.times[this.first + 1]! >= time) return
      this.first++
    }
  }

  /** The time from which the delay of a refresh counts, in milliseconds. O(log length). */
  timeOf(order: number): number {
    const { orders, end, found } = this
    // Timers that expire together were mostly refreshed together.
    const isFound =
      found < end && orders[found]! <= order && (found + 1 === end || orders[found + 1]! > order)
    if (isFound) return this.times[found]!
    const next = this.firstAbove(orders, order)
    if (next <= this.first) return this.newest
    this.found = next - 1
    return this.times[next - 1]!
  }

  /** The order number from which on all refreshes were later than `time`; undefined if none was. O(log length). */
  orderAfter(time: number): number | undefined {
    const i = this.firstAbove(this.times, time)
    return i < this.end ? this.orders[i] : undefined
  }

  /** The first entry with a number above `value` in a column. The number of entries if there is none. */
  private firstAbove(column: Int32Array | Float64Array, value: number): number {
    let low = this.first
    let high = this.end
    while (low < high) {
      const middle = (low + high) >> 1
      if (column[middle]! > value) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Rounds the times of old entries, and makes room. O(length). */
  private roundOld(): void {
    const { orders, times, end, newest } = this
    const exact = end - EXACT_ENTRIES
    const roundedOrders = new Int32Array(this.length)
    const roundedTimes = new Float64Array(this.length)
    let count = 0
    let unit = LARGEST_UNIT
    let i = this.first
    for (; i < exact; i++) {
      const time = times[i]!
      while (newest - time < unit * UNIT_AGE && unit > 1) unit /= 2
      if (unit === 1) break
      const rounded = Math.ceil(time / unit) * unit
      // An older entry can have been rounded up past this one, here and below.
      if (count > 0 && roundedTimes[count - 1]! >= rounded) roundedTimes[count - 1] = rounded
      else {
        roundedTimes[count] = rounded
        roundedOrders[count++] = orders[i]!
      }
    }
    for (; count > 0 && i < end && times[i]! <= roundedTimes[count - 1]!; i++) {
      roundedTimes[count - 1] = times[i]!
    }
    roundedOrders.set(orders.subarray(i, end), count)
    roundedTimes.set(times.subarray(i, end), count)
    count += end - i
    const capacity = count < MANY ? Math.max(2 * count, FIRST_CAPACITY) : count + (count >> 3)
    this.orders = new Int32Array(capacity)
    this.times = new Float64Array(capacity)
    this.orders.set(roundedOrders.subarray(0, count))
    this.times.set(roundedTimes.subarray(0, count))
    this.end = count
    this.first = this.found = 0
  }
}
