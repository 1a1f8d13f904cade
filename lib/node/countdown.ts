/** A timer without a handle for the program and without an async context: the timer of a signal or of a promise. */
import type { Countdown, StartCountdown } from '../common/countdown.js'
import { CLEAR } from '../common/handle-brand.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { type Handle, NOT_REFRESHABLE } from './scheduler/timer-target.js'

class NodeCountdown implements Handle, Countdown {
  /** The core has the true deadline at all times, because a refresh schedules the record again. */
  readonly _order = NOT_REFRESHABLE
  _ms: number
  readonly _scheduler: Scheduler
  readonly _callback: () => void
  readonly _argument: unknown
  _isReferenced = true
  /** The record's unit; 0: the timer is not pending. */
  _unit = 0

  constructor(scheduler: Scheduler, callback: () => void, delay: number, argument: unknown, unref: boolean) {
    this._ms = delay
    this._scheduler = scheduler
    this._callback = callback
    this._argument = argument
    this._unit = scheduler.schedule(0, this, delay)
    if (!unref) return
    scheduler.unreference()
    this._isReferenced = false
  }

  set [CLEAR](_clear: true) {
    this._clear()
  }

  _clear(): void {
    const { _scheduler, _unit } = this
    if (_unit === 0 || _scheduler.stopped) return
    _scheduler.cancel(_unit, this._isReferenced)
    this._unit = 0
  }

  _refresh(delay = this._ms): void {
    const { _scheduler, _unit } = this
    if (_unit === 0 || _scheduler.stopped) return
    _scheduler.schedule(_unit, undefined, delay)
    this._ms = delay
  }

  expire(): void {
    this._scheduler.endDue(this._unit, this._isReferenced)
    this._unit = 0
    this._callback()
  }

  get invocation(): Handle['invocation'] {
    return { callback: this._callback, args: [this._argument] }
  }
}

/** @param open returns the scheduler of the timers */
export const countdownsOn =
  (open: () => Scheduler): StartCountdown =>
  (callback, delay, argument, unref) =>
    new NodeCountdown(open(), callback, delay, argument, unref)
