/** The class `TimerWheel` in a page. */
import type { TimerWheelConstructor } from '../api/wheel.js'
import { checkDelay, checkId } from '../common/checks.js'
import { FOREVER } from '../common/constants.js'
import { wheelLimit, wheelStopped } from '../common/errors.js'
import { immediateOn } from '../common/promises.js'
import { steadyRuns } from '../common/steady-runs.js'
import { msOf, ROUNDING_ERROR } from '../common/ticks.js'
import { timerWheelClass } from '../common/timer-wheel.js'
import { openVirtualTime } from '../common/virtual-time.js'
import { ONCE, REPEATS, UNREFERENCED } from './constants.js'
import { drive } from './event-loop.js'
import { timerGroupOn } from './group.js'
import type { Globals, PageHost } from './host.js'
import { idOf, unitOfId } from './id-space.js'
import { clearAll, forProgram, pendingTimersOf } from './pending.js'
import { openScheduler } from './scheduler.js'
import type { Handle, OpenCore, Scheduler } from './scheduler-types.js'
import { timeoutSignalOn } from './signals.js'
import { clear, Timeout } from './timeout.js'
import { statsOf } from './timers.js'
import { workerAlarms } from './worker-alarm.js'

/** Makes a scheduler refuse timers beyond a limit, before it stores anything. */
function limit(scheduler: Scheduler, maxPending: number, name: string): void {
  const { _schedule } = scheduler
  scheduler._schedule = (unit, ...rest) => {
    // The interval whose callback runs keeps its room, although it does not count as pending.
    if (!unit && scheduler._taken() >= maxPending) throw wheelLimit(maxPending, name)
    return _schedule(unit, ...rest)
  }
}

/**
 * Makes a scheduler whose ticks are not 1 ms take delays in milliseconds, although it counts in ticks. It reads the clock in each call.
 * The shared wheel needs none of this.
 */
function scale(scheduler: Scheduler, tick: number): void {
  const { _schedule, _clock } = scheduler
  scheduler._msOf = (ticks) => msOf(ticks, tick)
  scheduler._schedule = (unit, target, ms, argument, started = _clock()) => {
    const whole = Math.floor(started)
    const sum = started + ms / tick
    // Less than a tick, also late in virtual time.
    const due = Math.max(Math.ceil(sum - Math.min(sum * ROUNDING_ERROR, 0.1)), whole + 1)
    // From a whole tick, and whole ticks: the scheduler adds them without an error.
    return _schedule(unit, target, due - whole, argument, whole)
  }
}

/** Lets a new interval not drift. Its first argument becomes the number of missed runs. */
function keepSteady(timeout: Timeout, scheduler: Scheduler): void {
  const { _expire, _end, _keepNumber } = timeout
  const runs = steadyRuns()
  timeout._expire = () => {
    const now = scheduler._readClock()
    const delay = Math.max(timeout._ms / scheduler._tick!, 1)
    timeout._args[0] = runs._begin(scheduler._due(timeout._unit), now, delay)
    _expire.call(timeout)
  }
  timeout._end = () => {
    runs._end()
    // Undefined if the callback has cleared the interval.
    if (timeout._args) timeout._args[0] = 0
    _end.call(timeout, runs._due)
  }
  // Only `refresh` says that the timer is live.
  timeout._keepNumber = (isLive) => {
    if (isLive) runs._restart()
    _keepNumber.call(timeout, isLive)
  }
}

/** The class of wheels of a page. */
export function timerWheelOn(openCore: OpenCore, host: PageHost, globals: Globals): TimerWheelConstructor {
  const openAlarm = workerAlarms(globals)
  // The first bits of the state of each handle are what makes the handles of a wheel.
  return timerWheelClass<Scheduler, number>({
    _open({ tick, budget, driver, maxPending, unref, name }) {
      const limits = { _budget: budget, _overruns: 0 }
      let scheduler!: Scheduler
      if (driver === 'manual') {
        const onEpoch = (): void => {}
        const lag = (): number => 0
        const virtual = openVirtualTime(tick, (clock) => {
          scheduler = openScheduler(openCore, clock, onEpoch, lag)
          return scheduler
        })
        scheduler._virtual = virtual
      } else {
        const isWorker = driver === 'worker' && !host._isFake
        scheduler = drive(openCore, host, tick, limits, isWorker ? openAlarm : undefined)
      }
      scheduler._limits = limits
      scheduler._tick = tick
      if (maxPending < FOREVER) limit(scheduler, maxPending, name)
      if (tick !== 1) scale(scheduler, tick)
      return [scheduler, unref ? UNREFERENCED : ONCE]
    },
    _set: (scheduler, bits, callback, delay, repeats, args) =>
      new Timeout(scheduler, callback, delay, repeats ? bits | REPEATS : bits, args),
    _setWith(scheduler, bits, callback, { delay, drift }, repeats, args = []) {
      const state = repeats ? bits | REPEATS : bits
      const timeout = new Timeout(scheduler, callback, delay, state, drift ? args : [0, ...args], true)
      if (!drift) keepSteady(timeout, scheduler)
      return timeout
    },
    _clear: (timeout) => clear(timeout, host),
    _schedule: (scheduler, callback, delay, argument) =>
      idOf(scheduler, scheduler._schedule(0, callback, delay, argument)),
    _cancel(scheduler, id) {
      const unit = unitOfId(scheduler, id)
      if (unit) scheduler._cancel(unit)
      return unit > 0
    },
    _reschedule(scheduler, id, delay) {
      checkId(id)
      checkDelay(delay)
      const unit = unitOfId(scheduler, id)
      if (unit) scheduler._schedule(unit, undefined, delay)
      return unit > 0
    },
    _signal: (scheduler, _hasContext, delay, options) => timeoutSignalOn(() => scheduler)(delay, options),
    _group: (scheduler, onExpire, delay, options) => timerGroupOn(() => scheduler)(onExpire, delay, options),
    _setImmediate: immediateOn(host),
    _now: (scheduler) => scheduler._virtual?._time() ?? scheduler._clock() * scheduler._tick!,
    _run: (scheduler, ms, limit) => scheduler._virtual!._run(ms, limit),
    _pending: (scheduler) => scheduler._pending(),
    _pendingTimers: (scheduler) => forProgram(pendingTimersOf(scheduler)),
    _stats: (scheduler) => statsOf(scheduler, scheduler._limits!),
    _clearAll: clearAll,
    _stop(scheduler) {
      const left = pendingTimersOf(scheduler)
      scheduler._end(() => {
        throw wheelStopped()
      })
      for (const { timeout } of left) (timeout as Partial<Handle> | undefined)?._keepNumber?.()
      scheduler._close?.()
      return forProgram(left)
    },
  })
}
