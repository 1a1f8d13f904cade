/**
 * The timers of signals and of `withTimeout`: handles that the program does not get. As natively, the timer of a signal has the async
 * context of the call that makes the signal.
 */
import type { Countdown, StartCountdown } from '../common/timeout-signal.js'
import { ExactDelay, withOptions } from './handles/delay.js'
import { timeoutClass } from './handles/handle.js'
import { ONCE, type TimeoutConstructor, type WheelTimeout } from './handles/state.js'
import type { Host } from './host/node-host.js'
import type { Scheduler } from './scheduler/scheduler.js'

/** The refresh of a handle is exact for whole delays up to this one, whatever the tick of its wheel. */
const MOST_REFRESHED = 2 ** 20

/** The methods of a `Countdown`. The lists of pending timers do not show the handle. */
const properties: PropertyDescriptorMap & ThisType<WheelTimeout> = {
  _clear: {
    value(): void {
      // Not when it has run: a cleared handle has more to do.
      if (this.pending) this.close()
    },
  },
  _refresh: {
    value(delay?: number): void {
      const ms = delay ?? this._ms
      if (delay === undefined && ms > 0 && (ms | 0) === ms && ms <= MOST_REFRESHED) this.refresh()
      else this._setAgain(new ExactDelay(ms))
    },
  },
  invocation: {
    get(): Omit<WheelTimeout['invocation'], 'timeout'> {
      return {
        callback: this._onTimeout as never,
        args: this._timerArgs ?? [undefined],
        hasRef: this.hasRef(),
      }
    },
  },
}

/**
 * Returns a function that makes `StartCountdown` for a wheel.
 *
 * @param hasContext whether the timers have an async context
 * @param shared opens the shared wheel; undefined: the function gets the scheduler of a wheel
 */
export function countdownsOn(
  host: Host,
  hasContext: boolean,
  shared?: () => Scheduler,
): (scheduler?: Scheduler) => StartCountdown {
  let Timeout: TimeoutConstructor | undefined
  const timeouts = (): TimeoutConstructor => {
    const made = timeoutClass(host, hasContext, shared)
    Object.defineProperties(made.prototype, properties)
    return made
  }
  return (scheduler) => (callback, delay, argument, unref) => {
    Timeout ??= timeouts()
    // Before the handle is made, so that async hooks see no refused timer.
    scheduler?.checkRoom()
    const isUsual = delay > 0 && (delay | 0) === delay
    const ms = isUsual ? delay : new ExactDelay(delay)
    const args = argument === undefined ? undefined : [argument]
    const timeout = new Timeout(callback, ms, ONCE, args, scheduler)
    if (unref) timeout.unref()
    return withOptions(timeout, delay, undefined) as WheelTimeout & Countdown
  }
}
