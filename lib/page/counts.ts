/**
 * The counts behind `stats()` of a page's wheel. The scheduler itself counts little, because each of its bytes is in every page.
 * The counts follow from numbers that it has anyway: each operation takes an order number, and each record counts its uses.
 * Only the handles of intervals see their scheduler through another object, which counts their runs. The timer of a map counts
 * as an interval: each callback of the map is a run.
 */
import type { WheelStats } from '../api/stats.js'
import { GENERATION, NEVER, ORDER, USED, unitOfRecord } from '../memory/layout.js'
import { DROPPED } from './constants.js'
import type { Measures } from './measures.js'
import type { Scheduler } from './scheduler-types.js'

export interface Counts {
  /** The scheduler for the handles of intervals. */
  readonly _intervals: Scheduler
  /** Called before virtual time moves, because the scheduler then counts callbacks from 0. */
  _addFired(): void
  /** Called before the wheel is stopped. A stopped wheel has no numbers left. */
  _noteLast(): void
  _stats(): WheelStats
}

/** The operations since the wheel was made or trimmed. Order numbers can have started again. */
const operationsOf = (words: Int32Array): number => words[ORDER]! + new Float64Array(words.buffer)[DROPPED]!

/** Called after the wheel has got its ids. */
export function countsOf(scheduler: Scheduler, measures?: Measures): Counts {
  // What the scheduler counted before it started again from 0.
  let scheduled = 0
  let ended = 0
  let operations = 0
  let fired = 0
  let last: WheelStats | undefined

  const intervals: Scheduler = Object.create(scheduler)
  intervals._endDue = (unit, repeats) => {
    if (repeats) scheduler._again++
    scheduler._endDue(unit, repeats)
  }
  intervals._schedule = (unit, target, ms, argument, started) => {
    const result = scheduler._schedule(unit, target, ms, argument, started)
    if (started !== undefined) scheduler._moved++
    return result
  }

  const giveBack = scheduler._giveBack!
  scheduler._giveBack = () => {
    // The wheel is trimmed.
    if (!scheduler._stopped) {
      const [words, uses] = read()
      scheduled += uses
      ended += uses
      operations += operationsOf(words)
    }
    giveBack()
  }

  /** Returns the memory, the uses of all records that are over, and the number of timers that are not. */
  function read(): [words: Int32Array, uses: number, live: number] {
    // Writes the number of operations into the memory.
    scheduler._readClock()
    const words = scheduler._words()
    let uses = 0
    let live = 0
    for (let n = 0; n < words[USED]!; n++) {
      const record = unitOfRecord(n) << 2
      uses += words[record | GENERATION]!
      // A running interval keeps its record.
      if (words[record] !== NEVER) live++
    }
    return [words, uses, live]
  }

  function stats(): WheelStats {
    if (scheduler._stopped) {
      return { ...last!, pending: 0, cancelled: last!.cancelled + last!.pending, bytes: 0 }
    }
    const [words, uses, live] = read()
    const all = scheduled + uses + live
    const ran = fired + scheduler._ran
    return {
      pending: scheduler._pending(),
      scheduled: all,
      fired: ran,
      cancelled: ended + uses + scheduler._again - ran,
      refreshed: operations + operationsOf(words) - all - scheduler._moved,
      bytes: words.byteLength,
      ...measures?.(),
    }
  }

  return {
    _intervals: intervals,
    _addFired() {
      if (scheduler._isRunning) return
      fired += scheduler._ran
      scheduler._ran = 0
    },
    _noteLast() {
      if (!scheduler._stopped) last = stats()
    },
    _stats: stats,
  }
}
