/**
 * From which tick the delays of operations counted, by the operations' order numbers: what a refreshed handle, which
 * keeps nothing but its number, needs to know its deadline again.
 *
 *   entry     0        1        2
 *   order     0       64      140      the first operation
 *   tick   1000     1001     1005      the time its epoch was closed at, rounded up
 *
 * An entry for each tick in which anything was done, of the last `DELAY_LIMIT` ticks.
 */

/** Delays, in ticks, up to which handles may rely on the log. It bounds the log's length: 12 bytes a tick. */
export const DELAY_LIMIT = 2 ** 17
const FIRST_CAPACITY = 64

export class EpochLog {
  // A ring; the capacity is a power of two. Ticks on the scale that does not wrap.
  private orders = new Int32Array(FIRST_CAPACITY)
  private ticks = new Float64Array(FIRST_CAPACITY)
  private first = 0
  private end = 0
  /** Where the last search ended. */
  private found = 0

  /** How many entries there are. */
  get length(): number {
    return this.end - this.first
  }

  /** Operations from `order` on, which is not less than before, count from `tick`. Amortised O(1). */
  append(order: number, tick: number): void {
    const mask = this.orders.length - 1
    if (this.length > 0 && this.ticks[(this.end - 1) & mask] === tick) return
    if (this.length === this.orders.length) this.grow()
    const at = this.end++ & (this.orders.length - 1)
    this.orders[at] = order
    this.ticks[at] = tick
  }

  /** Nobody will ask for operations whose deadlines, at `DELAY_LIMIT`, were before `tick`. Amortised O(1). */
  forget(tick: number): void {
    const mask = this.orders.length - 1
    while (this.length > 1 && this.ticks[(this.first + 1) & mask]! + DELAY_LIMIT < tick) this.first++
  }

  /** Order numbers begin anew. */
  clear(): void {
    this.first = this.end = this.found = 0
  }

  /** The tick from which the delay of an operation counted. O(log length), O(1) for one that is close to the last. */
  tickOf(order: number): number {
    const { orders } = this
    const mask = orders.length - 1
    let low = this.first
    let high = this.end
    // Timers that expire together were mostly refreshed together.
    const guess = this.found
    if (guess >= low && guess < high) {
      if (orders[guess & mask]! <= order) {
        low = guess
        if (guess + 1 < high && order < orders[(guess + 1) & mask]!) high = guess + 1
      } else high = guess
    }
    while (high - low > 1) {
      const middle = low + ((high - low) >> 1)
      if (orders[middle & mask]! <= order) low = middle
      else high = middle
    }
    this.found = low
    return this.ticks[low & mask]!
  }

  private grow(): void {
    const { orders, ticks, first, end } = this
    const mask = orders.length - 1
    this.orders = new Int32Array(2 * orders.length)
    this.ticks = new Float64Array(2 * orders.length)
    for (let i = first; i < end; i++) {
      this.orders[i - first] = orders[i & mask]!
      this.ticks[i - first] = ticks[i & mask]!
    }
    this.first = 0
    this.end = end - first
  }
}
