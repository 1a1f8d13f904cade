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
import { FOREVER } from '../common/constants.js'
import type { Kernel } from '../kernel/kernel.js'
import type { Limits } from '../wheel/wheel.js'

/** A slice can exceed the budget if the first timer in line is late by more than this, in milliseconds. */
const LATE = 50

/** Milliseconds that slices of all wheels of this thread took which have left due timers: the loop was not away then. */
let sliced = 0

export function openSliceBudget(limits: Limits, kernel: Kernel) {
  /** The time outside of slices, and the number of timers, when the last slice ended, not by an error; Infinity if it has left none. */
  let otherAtEnd = FOREVER
  let takenAtEnd = FOREVER
  /** Milliseconds of the other work before the present slice, and twice the number of timers that it has set. */
  let away = 0
  let added = 0
  return {
    /** Called when a slice begins that runs the rest of the last one. */
    begin(started: number): void {
      away = started - sliced - otherAtEnd
      added = 2 * (kernel._taken() - takenAtEnd)
    },

    /** The milliseconds left to the slice. @param ran the callbacks so far @param unit the first timer in line; 0: not known */
    left(started: number, now: number, ran: number, unit: number): number {
      const elapsed = now - started
      const left = limits._budget - elapsed
      if (left > 0 || unit === 0) return left
      const due = kernel._dueOf(unit)
      if (now - due <= LATE) return left
      return Math.min(Math.max(away, (added / ran) * elapsed), started - due) - elapsed
    },

    /** Called when a slice ends that has left due timers. */
    end(started: number, now: number): void {
      sliced += now - started
      otherAtEnd = now - sliced
      takenAtEnd = kernel._taken()
    },

    /** Called when the last due timer has run. */
    reset(): void {
      otherAtEnd = takenAtEnd = FOREVER
      away = added = 0
    },
  }
}
