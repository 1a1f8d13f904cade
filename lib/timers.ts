/** What an entry exports: the class of its wheels, and the `setTimeout` family over a wheel shared by the whole program. */
import { Scheduler } from './scheduler.js'
import {
  clear,
  contextTimeoutClass,
  type Timeout,
  type TimeoutConstructor,
  timeoutClasses,
} from './timeout.js'
import { type Platform, type TimerWheel, type TimerWheelConstructor, timerWheelClass } from './wheel.js'

export interface Timers {
  /** A timing wheel of one's own. */
  TimerWheel: TimerWheelConstructor
  /** See {@link TimerWheel.setTimeout}. */
  setTimeout: TimerWheel['setTimeout']
  /** See {@link TimerWheel.setInterval}. */
  setInterval: TimerWheel['setInterval']
  /** See {@link TimerWheel.clearTimeout}. */
  clearTimeout: TimerWheel['clearTimeout']
  /** The same as `clearTimeout`. */
  clearInterval: TimerWheel['clearTimeout']
}

const DEFAULT_TICK = 1
const DEFAULT_BUDGET = 5

export function timersOn(platform: Platform): Timers {
  // Made when it is first needed: importing the package costs no memory.
  let shared: { scheduler: Scheduler; Timeout: TimeoutConstructor } | undefined
  const share = () => {
    const scheduler = new Scheduler(platform.openBackend, platform.host, DEFAULT_TICK, DEFAULT_BUDGET)
    shared = { scheduler, Timeout: contextTimeoutClass(platform.host, scheduler) }
    return shared
  }
  type Callback = (this: Timeout, ...args: never[]) => unknown

  function setTimeout(callback: Callback, delay?: number, ...args: unknown[]): Timeout {
    const { scheduler, Timeout } = shared ?? share()
    return new Timeout(scheduler, callback, delay, false, args)
  }
  function setInterval(callback: Callback, delay?: number, ...args: unknown[]): Timeout {
    const { scheduler, Timeout } = shared ?? share()
    return new Timeout(scheduler, callback, delay, true, args)
  }
  function clearTimeout(timeout: Timeout | number | string | null | undefined): void {
    clear(timeout)
  }
  return {
    TimerWheel: timerWheelClass(platform, timeoutClasses(platform.host)),
    setTimeout: setTimeout as Timers['setTimeout'],
    setInterval: setInterval as Timers['setInterval'],
    clearTimeout,
    clearInterval: clearTimeout,
  }
}
