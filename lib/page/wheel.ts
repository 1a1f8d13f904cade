/** The class `TimerWheel` in a page. */
import type { TimerWheelConstructor } from '../api/wheel.js'
import type { CheckedSetOptions } from '../common/checks.js'
import { immediateOn } from '../common/promises.js'
import type { Kernel } from '../kernel/kernel.js'
import type { OpenCore } from '../memory/core.js'
import { steadyRuns } from '../wheel/steady-runs.js'
import { timerWheelClass } from '../wheel/timer-wheel.js'
import { openVirtualWheel } from '../wheel/virtual-time.js'
import { drive } from './event-loop.js'
import type { Globals, PageHost } from './host.js'
import { timeoutSignalOn } from './signals.js'
import { clear, Timeout } from './timeout.js'
import { workerAlarms } from './worker-alarm.js'

/** Lets a new interval not drift. Its first argument becomes the number of missed runs. */
function keepSteady(timeout: Timeout): void {
  const { _kernel: kernel, _expire, _endRun } = timeout
  const runs = steadyRuns()
  timeout._args = [0, ...timeout._args]
  // Does not throw if the program has frozen the arguments, or if there are none because the callback has cleared the interval.
  const setMissed = (missed: number): unknown => Reflect.set(Object(timeout._args), 0, missed)
  timeout._expire = (unit) => {
    setMissed(runs._begin(kernel._dueOf(unit), kernel._readClock(), timeout._ms))
    _expire.call(timeout, unit)
  }
  timeout._endRun = (unit) => {
    setMissed(0)
    _endRun.call(timeout, unit, runs._end())
  }
}

/** Makes a handle of a wheel, which can have options. */
function makeTimeout(
  kernel: Kernel,
  callback: (...args: never[]) => unknown,
  delay: unknown,
  bits: number,
  args: unknown[] | undefined,
  options: CheckedSetOptions | undefined,
): Timeout {
  if (!options) return new Timeout(kernel, callback, delay, bits, args)
  const timeout = new Timeout(kernel, callback, options.delay || kernel._soonest, bits, args, true)
  if (!options.drift) keepSteady(timeout)
  return timeout
}

/** The class of wheels of a page. */
export function timerWheelOn(openCore: OpenCore, host: PageHost, globals: Globals): TimerWheelConstructor {
  const openAlarm = workerAlarms(globals)
  return timerWheelClass({
    _open(options) {
      const { budget, driver, name } = options
      const limits = { _budget: budget, _overruns: 0 }
      const isWorker = driver === 'worker' && !host._isFake
      const wheel =
        driver === 'manual'
          ? openVirtualWheel(openCore, options)
          : {
              _kernel: drive(openCore, host, options, limits, isWorker ? openAlarm : undefined),
              _lag: host._lag,
            }
      return [{ ...wheel, _limits: limits, _name: name }, makeTimeout, timeoutSignalOn(() => wheel._kernel)]
    },
    _clear: (timeout) => clear(timeout, host),
    _setImmediate: immediateOn(host),
  })
}
