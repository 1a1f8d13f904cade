/** A timer without a handle for the program: the timer of a signal or of a promise. */
import type { Countdown, StartCountdown } from '../common/countdown.js'
import type { Handle, TimerScheduler } from './scheduler-types.js'

/** Without the methods of a handle for intervals and for numbers, which the scheduler does not call for it. */
class PageCountdown implements Omit<Handle, '_end' | '_keepNumber'>, Countdown {
  /** 0 or undefined: the timer is not pending. The scheduler writes it. */
  declare _unit: number
  declare readonly _callback: () => void
  declare readonly _args: unknown[]
  declare private readonly _scheduler: TimerScheduler
  declare private _ms: number

  constructor(scheduler: TimerScheduler, callback: () => void, delay: number, argument: unknown) {
    this._callback = callback
    this._args = [argument]
    this._scheduler = scheduler
    this._ms = delay
    scheduler._schedule(0, this as never, delay)
  }

  _clear(): void {
    if (this._unit && !this._scheduler._stopped) this._scheduler._cancel(this._unit)
  }

  _refresh(delay = this._ms): void {
    if (!this._unit || this._scheduler._stopped) return
    this._scheduler._schedule(this._unit, undefined, delay)
    this._ms = delay
  }

  _expire(): void {
    this._scheduler._endDue(this._unit)
    this._callback()
  }
}

/** @param open returns the scheduler of the timers */
export const countdownsOn =
  (open: () => TimerScheduler): StartCountdown =>
  (callback, delay, argument) =>
    new PageCountdown(open(), callback, delay, argument)
