/**
 * A timer without a handle for the program: the timer of a signal or of a promise. As natively, that of a signal has the async context of the
 * call that makes the signal.
 */
import type { Countdown, StartCountdown } from '../common/countdown.js'
import { CLEAR } from '../common/handle-brand.js'
import type { AsyncContext, Host } from './host/node-host.js'
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
  /** Undefined: the timer has none, or is over. */
  _context: AsyncContext | undefined
  /** The record's unit; 0: the timer is not pending. */
  _unit = 0

  constructor(
    scheduler: Scheduler,
    callback: () => void,
    delay: number,
    argument: unknown,
    unref: boolean,
    context: AsyncContext | undefined,
  ) {
    this._ms = delay
    this._scheduler = scheduler
    this._callback = callback
    this._argument = argument
    this._context = context
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
    this._endContext()
  }

  _endContext(): void {
    this._context?.emitDestroy()
    // The program can keep the signal.
    this._context = undefined
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
    if (this._context === undefined) return this._callback()
    try {
      this._context.runInAsyncScope(this._callback)
    } finally {
      this._endContext()
    }
  }

  get invocation(): Handle['invocation'] {
    return { callback: this._callback, args: [this._argument], hasRef: this._isReferenced }
  }
}

/** @param open returns the scheduler of timers without an async context */
export const countdownsOn =
  (open: () => Scheduler): StartCountdown =>
  (callback, delay, argument, unref) =>
    new NodeCountdown(open(), callback, delay, argument, unref, undefined)

/** Returns a function that does the same for timers with an async context. */
export function countdownsWithContext({ AsyncContext }: Host) {
  class Context extends AsyncContext {
    /** Tools that look for what keeps a process alive ask every resource. */
    declare readonly hasRef: () => boolean
  }
  const [referenced, unreferenced] = [() => true, () => false]
  Object.defineProperty(Context.prototype, 'hasRef', { value: unreferenced, writable: true })
  // Node reports the end of a resource that is collected, in a stopped wheel, unless `emitDestroy` has.
  const options = { requireManualDestroy: false }
  return (open: () => Scheduler): StartCountdown =>
    (callback, delay, argument, unref) => {
      const context = new Context('Timeout', options)
      if (!unref) Reflect.set(context, 'hasRef', referenced)
      return new NodeCountdown(open(), callback, delay, argument, unref, context)
    }
}
