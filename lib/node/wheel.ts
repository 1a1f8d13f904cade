/** The class `TimerWheel` on Node. */
import type { TimerWheelConstructor } from '../api/wheel.js'
import { checkDelay, checkId } from '../common/checks.js'
import { wheelStopped } from '../common/errors.js'
import { steadyRuns } from '../common/steady-runs.js'
import { CLEAR, type Clearable, HANDLE_BRAND } from '../common/symbols.js'
import { schedulerOf, timerWheelClass, type WheelHost } from '../common/timer-wheel.js'
import { countdownsOn } from './countdown.js'
import type { VirtualTimeBackend } from './drivers/virtual-time.js'
import { ExactDelay, withOptions } from './handles/delay.js'
import { timeoutClass } from './handles/handle.js'
import { clearOther, ONCE, REPEATS, type TimeoutConstructor } from './handles/state.js'
import { onDemand } from './on-demand/load.js'
import { openScheduler, openVirtualTimeScheduler, type Platform } from './open-scheduler.js'
import { ConfiguredScheduler } from './scheduler/configured-scheduler.js'
import { clear, stop } from './scheduler/ending.js'
import { rescheduleDeferred, unitOfId } from './scheduler/id-timers.js'
import { pendingTimersOf, statsOf } from './scheduler/looks.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { publishOpen } from './sight/channels.js'

const { isInteger } = Number

function rescheduleNow(scheduler: Scheduler, id: number, delay: number): boolean {
  checkId(id)
  checkDelay(delay)
  const unit = unitOfId(scheduler, id)
  if (unit === 0) return false
  scheduler.schedule(unit, undefined, delay)
  return true
}

/** Returns a constructor of handles that heeds the options `maxPending` and `unref` of the wheel. */
function timeoutsOf(scheduler: Scheduler, Timeout: TimeoutConstructor): TimeoutConstructor {
  if (!(scheduler instanceof ConfiguredScheduler)) return Timeout
  const { isUnref } = scheduler
  // An arrow function is no constructor. `new` returns the object that this function returns.
  function Configured(...[callback, delay, state, args]: ConstructorParameters<TimeoutConstructor>) {
    // Before the handle is made, so that async hooks see no refused timer.
    if (typeof callback === 'function') scheduler.checkRoom()
    const timeout = new Timeout(callback, delay, state, args, scheduler)
    return isUnref ? timeout.unref() : timeout
  }
  return Configured as unknown as TimeoutConstructor
}

function wheelHostOn(platform: Platform): WheelHost<Scheduler, TimeoutConstructor> {
  const { host } = platform
  /** The classes of handles, with and without an async context. Most programs need only one. */
  const made = new Map<boolean, TimeoutConstructor>()
  const timeoutsWith = (asyncContext: boolean): TimeoutConstructor => {
    const Timeout = made.get(asyncContext) ?? timeoutClass(host, asyncContext)
    made.set(asyncContext, Timeout)
    return Timeout
  }
  const startWithContext = countdownsOn(host, true)
  const startWithout = countdownsOn(host, false)
  return {
    _open(options) {
      const isVirtual = options.driver === 'manual'
      const scheduler = isVirtual
        ? openVirtualTimeScheduler(platform, options)
        : openScheduler(platform.openBackend, host, options)
      publishOpen(options.name, () => statsOf(scheduler))
      return [scheduler, timeoutsOf(scheduler, timeoutsWith(options.asyncContext))]
    },
    _set: (scheduler, Timeout, callback, delay, repeats, args) =>
      new Timeout(callback, delay, repeats ? REPEATS : ONCE, args, scheduler),
    _setWith(scheduler, Timeout, callback, { delay, drift }, repeats, args) {
      const state = repeats ? REPEATS : ONCE
      // The first argument of an interval without drift is the number of missed runs.
      const given = drift ? args : [0, ...(args ?? [])]
      const timeout = new Timeout(callback, new ExactDelay(delay), state, given, scheduler)
      return withOptions(timeout, delay, drift ? undefined : steadyRuns())
    },
    _clear(timeout) {
      if ((timeout as Clearable | undefined)?.[HANDLE_BRAND] === undefined) clearOther(timeout, host)
      else (timeout as Clearable)[CLEAR] = true
    },
    _schedule(scheduler, callback, delay, argument) {
      if (scheduler.stopped) throw wheelStopped()
      return scheduler.scheduleId(callback, argument, delay)
    },
    _cancel(scheduler, id) {
      const unit = unitOfId(scheduler, id)
      if (unit === 0) return false
      scheduler.cancelId(unit)
      return true
    },
    _reschedule(scheduler, id, delay) {
      // All ids are whole numbers. The deferred operation takes only whole delays.
      if (isInteger(id) && isInteger(delay) && rescheduleDeferred(scheduler, id, delay)) return true
      return rescheduleNow(scheduler, id, delay)
    },
    _signal(scheduler, hasContext, delay, options) {
      const startOn = hasContext ? startWithContext : startWithout
      return onDemand().openSignal(host, startOn(scheduler), delay, options)
    },
    _group(scheduler, onExpire, delay, options) {
      const open = () => {
        if (scheduler.stopped) throw wheelStopped()
        return scheduler
      }
      return onDemand().openGroup(open, onExpire, delay, options)
    },
    _setImmediate: host.promisedImmediate,
    _now: (scheduler) => scheduler.backend.virtual?.time ?? scheduler.now() * scheduler.tick,
    _run: (scheduler, ms, limit) => (scheduler.backend as VirtualTimeBackend).run(ms, limit),
    _pending: (scheduler) => scheduler.pending,
    _pendingTimers: pendingTimersOf,
    _stats: statsOf,
    _clearAll: clear,
    _stop(scheduler) {
      if (scheduler.stopped) return []
      const left = pendingTimersOf(scheduler)
      stop(scheduler)
      return left
    },
  }
}

const inspect = Symbol.for('nodejs.util.inspect.custom')

/** One line for `util.inspect` and `console.log`. A prototype, or another object that is no wheel, stays as it is. */
function inspectWheel(this: unknown): unknown {
  let scheduler: Scheduler
  try {
    scheduler = schedulerOf(this)
  } catch {
    return this
  }
  const { name, pending, tick, stopped } = scheduler
  const named = name === '' ? '' : `name: ${JSON.stringify(name)}, `
  const driver = scheduler.backend.virtual === undefined ? 'host' : 'manual'
  const end = stopped ? ', stopped' : ''
  return `TimerWheel { ${named}pending: ${pending}, tick: ${tick}, driver: '${driver}'${end} }`
}

/** The class of wheels that run on `platform`. */
export function timerWheelOn(platform: Platform): TimerWheelConstructor {
  const TimerWheel = timerWheelClass(wheelHostOn(platform))
  Object.defineProperty(TimerWheel.prototype, inspect, {
    value: inspectWheel,
    configurable: true,
    writable: true,
  })
  return TimerWheel
}
