/** `signal` of a wheel, and the functions `timeoutSignal` and `withTimeout` of the shared wheel, in a page. */
import type { MakeTimeoutSignal, WithTimeout } from '../api/signal.js'
import { type Countdown, makeSignal, type StartCountdown } from '../common/timeout-signal.js'
import { withTimeoutOn as withTimeoutOnHost } from '../common/with-timeout.js'
import type { Handle, TimerScheduler } from './scheduler-types.js'

/**
 * The timer of a signal or of `withTimeout`. The program does not get it. It has no methods for intervals and for numbers, which the scheduler
 * does not call for it.
 */
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
const countdownsOn =
  (open: () => TimerScheduler): StartCountdown =>
  (callback, delay, argument) =>
    new PageCountdown(open(), callback, delay, argument)

/** The error of the host's own `AbortSignal.timeout`. Of the engines, only V8 begins a stack with the name of the error. */
const _timeoutError = () =>
  new DOMException(
    /^Error/.test(new Error().stack!) ? 'signal timed out' : 'The operation timed out.',
    'TimeoutError',
  )

// The present class, because test tools replace globals.
const openController = () => new AbortController()

export function timeoutSignalOn(open: () => TimerScheduler): MakeTimeoutSignal {
  return function timeoutSignal(delay, options) {
    return makeSignal(countdownsOn(open), openController, Object.assign, _timeoutError, delay, options)
  }
}

export function withTimeoutOn(open: () => TimerScheduler): WithTimeout {
  return withTimeoutOnHost({ _start: countdownsOn(open), _timeoutError })
}
