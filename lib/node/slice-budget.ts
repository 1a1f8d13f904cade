/**
 * The length of a slice: the time for which a wheel runs callbacks before the event loop gets to other work.
 *
 *     slice      other work      slice      other work      slice ...
 *     |--------|--------------|--------|----------------|--------
 *              end            begin    end              begin
 *
 * A slice takes `budget` milliseconds. If the first timer in line is more than 50 ms late, the slice can take as long as the other work
 * before it, or run twice as many timers as that work has set. But it takes no longer than that timer was late when the slice began.
 */
import type { Kernel } from '../kernel/kernel.js'
import type { Limits } from '../wheel/wheel.js'

/** A slice can exceed the budget if the first timer in line is late by more than this, in milliseconds. */
const LATE = 50

/** Milliseconds that the slices of all wheels of this thread took: the loop was not away then. */
let sliced = 0

export class SliceBudget {
  readonly #limits: Limits
  /** The last slice left due timers. */
  isBehind = false
  /** The time outside of slices, and the number of timers, when the last slice ended. */
  private otherAtEnd = 0
  private takenAtEnd = 0
  /** Milliseconds of the other work before the present slice, and twice the number of timers that it has set. */
  private away = 0
  private added = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Called when a slice begins, if the last one left due timers. */
  resume(started: number, kernel: Kernel): void {
    this.away = started - sliced - this.otherAtEnd
    this.added = 2 * (kernel._taken() - this.takenAtEnd)
  }

  /**
   * The milliseconds left to the slice.
   *
   * @param started when it began
   * @param ran the number of callbacks so far
   * @param unit the first timer in line; 0: not known
   */
  left(started: number, now: number, ran: number, kernel: Kernel, unit: number): number {
    const elapsed = now - started
    const left = this.#limits._budget - elapsed
    if (left > 0 || unit === 0) return left
    const due = kernel._dueOf(unit)
    if (now - due <= LATE) return left
    const limit = Math.max(this.away, (this.added / ran) * elapsed)
    return Math.min(limit, started - due) - elapsed
  }

  /** Called when a slice ends with due timers left. */
  end(started: number, now: number, kernel: Kernel): void {
    sliced += now - started
    this.isBehind = true
    this.otherAtEnd = now - sliced
    this.takenAtEnd = kernel._taken()
  }

  /** Called when all due timers have run. */
  reset(): void {
    this.isBehind = false
    this.away = this.added = 0
  }
}
