/** What an entry exports: the class of its wheels, and the `setTimeout` family over a wheel shared by the whole program. */
import { ONCE, REPEATS } from './handle_state.js'
import { openScheduler, type Platform } from './open_scheduler.js'
import { clear, contextTimeoutClass, type Timeout as Handle, timeoutClasses } from './timeout.js'
import { type TimerWheel, type TimerWheelConstructor, timerWheelClass } from './wheel.js'

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
  return { TimerWheel: wheelOn(platform), ...familyOn(platform) }
}

/** The class of wheels, apart from the family: bundlers leave out what a page does not import. */
export function wheelOn(platform: Platform): TimerWheelConstructor {
  return timerWheelClass(platform, timeoutClasses(platform.host))
}

/** The `setTimeout` family. */
export function familyOn(platform: Platform): Omit<Timers, 'TimerWheel'> {
  // Opened when it is first needed: importing the package costs no memory.
  const Timeout = contextTimeoutClass(platform.host, () =>
    openScheduler(platform, DEFAULT_TICK, DEFAULT_BUDGET),
  )
  type Callback = (this: Handle, ...args: never[]) => unknown

  // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
  function setTimeout(callback: Callback, delay?: number): Handle {
    if (arguments.length > 2) return setTimeoutWith.apply(undefined, arguments as never)
    return new Timeout(callback, delay, ONCE)
  }
  // biome-ignore-end lint/complexity/noArguments: see above
  function setTimeoutWith(callback: Callback, delay: number, ...args: unknown[]): Handle {
    return new Timeout(callback, delay, ONCE, args)
  }
  function setInterval(callback: Callback, delay?: number, ...args: unknown[]): Handle {
    return new Timeout(callback, delay, REPEATS, args.length === 0 ? undefined : args)
  }
  function clearTimeout(timeout: Handle | number | string | null | undefined): void {
    clear(timeout)
  }
  return {
    setTimeout: setTimeout as Timers['setTimeout'],
    setInterval: setInterval as Timers['setInterval'],
    clearTimeout,
    clearInterval: clearTimeout,
  }
}
