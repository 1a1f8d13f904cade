/** The fields of handles about their deadline. They read the wheel, so that a handle stores nothing more for them. */
import { deadlineOf, remainingOf } from '../scheduler/looks.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { CLEARED, REPEATS, STATE_BITS, STATE_MASK } from './handle-state.js'

export abstract class DeadlineFields {
  // From the handle.
  declare _record: number
  declare _scheduler: Scheduler

  get pending(): boolean {
    return this._record > STATE_MASK
  }

  get deadline(): number {
    return this.pending ? deadlineOf(this._scheduler, this._record >> STATE_BITS) : Number.NaN
  }

  get remaining(): number {
    return this.pending ? remainingOf(this._scheduler, this._record >> STATE_BITS) : Number.NaN
  }

  get keepsPlace(): boolean {
    return !this.pending && (this._record & (REPEATS | CLEARED)) === REPEATS
  }
}
