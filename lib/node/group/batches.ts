/**
 * The order in which the members of a large group are due, without a queue.
 *
 * All members have the same delay, so they are due in the order of their last adds or touches: of their order numbers. A scan
 * of all members picks those that come due soon and sorts them. Of a million idle timers most are touched before they are
 * due, so few are ever picked. A picked member that is touched afterwards has another order number, and its entry is stale.
 *
 *     order numbers  ------ batches ------|------------- not picked yet -------------
 *                     picked and sorted   `picked`                             present
 *
 * A scan goes through `STRETCH` places at a time, so that it never blocks the event loop. Each stretch gives one sorted batch. The
 * next member is the least first entry of all batches.
 */
import { FOREVER } from '../../common/constants.js'
import { SPAN } from './members.js'

/** The spans of a stretch. Its 16,384 places are scanned and sorted in about a millisecond. */
export const STRETCH = 2 ** 11
/** An entry of a batch is the order number times this, plus the place in the stretch. */
const PER_ORDER = STRETCH * SPAN

/** The members that one stretch of a scan has picked. */
interface Batch {
  /** The index of the first span of the stretch. */
  readonly first: number
  readonly entries: Float64Array
  /** The index of the first entry that was not taken yet. */
  at: number
}

const stretchEntries = new Float64Array(PER_ORDER)

export class Batches {
  private readonly batches: Batch[] = []
  /** Members with an order number below this one have been picked. The end of a scan sets it to `next`. */
  picked = 0
  /** A time in milliseconds: all members that have not been picked were added or touched after it. */
  pickedUntil = Number.NEGATIVE_INFINITY
  /** The tick in which the last scan began. */
  startedAt = Number.NEGATIVE_INFINITY
  private next = 0
  private nextUntil = 0
  /** The index of the span that the scan comes to next; -1: no scan. */
  private span = -1
  /** The place of the first member, found by `findFirst`. */
  place = 0

  get isScanning(): boolean {
    return this.span >= 0
  }

  /**
   * Starts a scan for members with an order number below `next`.
   *
   * @param until a time in milliseconds: no operation from `next` on was earlier or at that time
   * @param now the present tick
   */
  startScan(next: number, until: number, now: number): void {
    this.startedAt = now
    this.next = next
    this.nextUntil = until
    this.span = 0
  }

  /** Goes on with the scan by one stretch. @param orders the order number of each place; negative: there is no member */
  scan(orders: Int32Array, spans: number[]): void {
    const { picked, next } = this
    const first = this.span
    const end = Math.min(first + STRETCH, spans.length)
    let count = 0
    let isSorted = true
    for (let i = first; i < end; i++) {
      const span = spans[i]!
      for (let n = 0; n < SPAN; n++) {
        const order = orders[span + n]!
        if (order < picked || order >= next) continue
        const entry = order * PER_ORDER + (i - first) * SPAN + n
        if (count > 0 && entry < stretchEntries[count - 1]!) isSorted = false
        stretchEntries[count++] = entry
      }
    }
    if (count > 0) {
      const entries = stretchEntries.slice(0, count)
      if (!isSorted) entries.sort()
      this.batches.push({ first, entries, at: 0 })
    }
    this.span = end
    if (end < spans.length) return
    this.span = -1
    this.picked = next
    this.pickedUntil = this.nextUntil
  }

  /**
   * Finds the first picked member, if there is one. Then `place` is set. A member that a running scan has picked does not
   * count, because others can come before it. O(number of batches).
   */
  findFirst(orders: Int32Array, spans: number[]): boolean {
    const { batches } = this
    for (;;) {
      let least = FOREVER
      let batch: Batch | undefined
      for (let i = batches.length - 1; i >= 0; i--) {
        const one = batches[i]!
        if (one.at === one.entries.length) {
          batches[i] = batches[batches.length - 1]!
          batches.length--
          continue
        }
        const entry = one.entries[one.at]!
        if (entry >= least) continue
        least = entry
        batch = one
      }
      if (batch === undefined) return false
      const order = Math.floor(least / PER_ORDER)
      if (order >= this.picked) return false
      const n = least - order * PER_ORDER
      const place = spans[batch.first + Math.floor(n / SPAN)]! + (n % SPAN)
      if (orders[place] === order) {
        this.place = place
        return true
      }
      batch.at++
    }
  }
}
