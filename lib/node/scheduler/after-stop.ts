/**
 * The process was stopped for weeks while operations shared a reading of the clock: by SIGSTOP, with its container, or with its virtual machine.
 *
 * The core has moved the deadlines of these operations by the time that has passed. They lie so far after the wheel's own tick that they
 * cannot be compared with it: see far-deadlines.ts. But they are near the time at which the epoch was closed, and the core has kept the notes.
 */
import { CLOSED, DEADLINE, EPOCH_LENGTH, NEVER, ORDER_NUMBER, TOUCHED } from '../../memory/layout.js'
import type { Records } from './records.js'

/** Makes the deadlines of the closed epoch comparable. @param begin the order number of its first operation */
export function countFromEnd(timers: Records, begin: number): void {
  const { words } = timers
  const closed = Math.floor(timers.reals[CLOSED]!)
  for (let i = 0; i < EPOCH_LENGTH; i++) {
    const note = words[TOUCHED + i]!
    const unit = note < 0 ? ~note : note
    const deadline = words[(unit << 2) | DEADLINE]!
    // A different number means that the record was touched again since.
    if (note === 0 || words[(unit << 2) | ORDER_NUMBER] !== begin + i || deadline === NEVER) continue
    timers.setDue(unit, closed + ((deadline - closed) | 0), begin + i)
    words[TOUCHED + i] = 0
  }
}
