/**
 * The counts behind `stats()` of a page's wheel. The scheduler itself counts little, because each of its bytes is in every page.
 * The counts follow from numbers that it has anyway: each operation takes an order number, and each record counts its uses.
 * Only the runs after which a timer goes on have counts of their own: each run of an interval, and each callback of a map.
 */
import { GENERATION, ORDER, USED, unitOfRecord } from '../memory/layout.js'
import { DROPPED } from './constants.js'
import type { Measures } from './measures.js'
import type { Scheduler } from './scheduler-types.js'

/** Gives a scheduler its counts. */
export function count(scheduler: Scheduler, measures?: Measures): void {
  /** Returns the uses of records that are over, the operations, and the bytes. */
  function read(): [over: number, operations: number, bytes: number] {
    // Writes the number of operations into the memory.
    scheduler._readClock()
    const words = scheduler._words()
    let over = 0
    for (let n = 0; n < words[USED]!; n++) over += words[(unitOfRecord(n) << 2) | GENERATION]!
    // Order numbers can have started again.
    const all = words[ORDER]! + new Float64Array(words.buffer)[DROPPED]!
    return [over, all, words.byteLength]
  }

  scheduler._stats = () => {
    const [over, all, bytes] = read()
    const scheduled = over + scheduler._taken()
    return {
      pending: scheduler._pending(),
      scheduled,
      fired: scheduler._ran,
      cancelled: over + scheduler._again - scheduler._ran,
      refreshed: all - scheduled - scheduler._moved,
      bytes,
      ...measures?.(),
    }
  }

  const { _end } = scheduler
  scheduler._end = (stopped) => {
    // A stopped wheel has no numbers left.
    const last = scheduler._stats!()
    _end(stopped)
    // No calls from there on.
    scheduler._stats = () => ({ ...last, pending: 0, cancelled: last.cancelled + last.pending, bytes: 0 })
  }
}
