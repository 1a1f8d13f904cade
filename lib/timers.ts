/** What an entry exports: the class of its wheels, and the `setTimeout` family over a wheel shared by the whole program. */
import { rememberScheduler } from './active_resources.js'
import { coerceDelay } from './delay.js'
import { checkSharedOptions } from './errors.js'
import { ONCE, REPEATS } from './handle_state.js'
import { openScheduler, type Platform } from './open_scheduler.js'
import { CLEAR, type Clearable, IS_OURS } from './ours.js'
import type { Scheduler } from './scheduler.js'
import { clearOther, contextTimeoutClass, type Timeout as Handle, timeoutClasses } from './timeout.js'
import { promisesOn, type TimersPromises } from './timers_promises.js'
import { type TimerWheel, type TimerWheelConstructor, timerWheelClass } from './wheel.js'

/** Options of the wheel that the whole program shares. */
export interface SharedWheelOptions {
  /**
   * As {@link TimerWheelOptions.budget} of other wheels: milliseconds above 0, or `Infinity`. Left out: stays as it is. 5
   * at first, or the number in the environment variable `TIMEOUT_WHEEL_BUDGET`, which only Node reads.
   */
  budget?: number | undefined
}

export interface Timers {
  /** A timing wheel of one's own. */
  TimerWheel: TimerWheelConstructor
  /** See {@link TimerWheel.setTimeout}. */
  setTimeout: TimerWheel['setTimeout'] & {
    /** What `util.promisify` gives, as the types of Node look it up. There is none when the program runs. */
    readonly __promisify__: TimersPromises['setTimeout']
  }
  /** See {@link TimerWheel.setInterval}. */
  setInterval: TimerWheel['setInterval']
  /** See {@link TimerWheel.clearTimeout}. */
  clearTimeout: TimerWheel['clearTimeout']
  /** Does the same as `clearTimeout`. */
  clearInterval: TimerWheel['clearInterval']
  /** The functions of Node's `timers/promises`, on the same wheel. */
  promises: TimersPromises
  /**
   * Sets options of the shared wheel, at any time. O(1).
   *
   * @throws TypeError if `options` is no object, an option is unknown or `budget` is no number, RangeError if `budget` is
   *   out of range. Then nothing has changed
   */
  configure(options: SharedWheelOptions): void
}

/** Where `util.promisify` looks for the function to give. */
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

const DEFAULT_TICK = 1

/** @param budget that of the shared wheel, until `configure` sets another */
export function timersOn(platform: Platform, budget: number): Timers {
  return { TimerWheel: wheelOn(platform), ...familyOn(platform, budget) }
}

/** The class of wheels, apart from the family: bundlers leave out what a page does not import. */
export function wheelOn(platform: Platform): TimerWheelConstructor {
  return timerWheelClass(platform, timeoutClasses(platform.host))
}

/** The `setTimeout` family. */
export function familyOn(platform: Platform, budget: number): Omit<Timers, 'TimerWheel'> {
  // Opened when it is first needed: importing the package costs no memory.
  let shared: Scheduler | undefined
  const openShared = () => {
    shared ??= openScheduler(platform, DEFAULT_TICK, budget)
    return shared
  }
  const Timeout = contextTimeoutClass(platform.host, openShared)
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
  // Two functions, as in Node: some programs wrap or compare them.
  function clearTimeout(timeout: unknown): void {
    if ((timeout as Clearable | undefined)?.[IS_OURS] === undefined) clearOther(timeout, platform.host)
    else (timeout as Clearable)[CLEAR] = true
  }
  function clearInterval(timeout: unknown): void {
    clearTimeout(timeout)
  }
  function configure(options: SharedWheelOptions): void {
    budget = checkSharedOptions(options, budget)
    if (shared !== undefined) shared.slice.budget = budget
  }
  for (const set of [setTimeout, setInterval]) {
    Object.defineProperty(set, 'length', { value: platform.host.setTimeoutLength })
  }
  const promises = promisesOn(platform.host, {
    startTimeout: (resolve, delay, value) => new Timeout(resolve, delay, ONCE, [value]),
    startWait: (resolve, delay, value) => {
      const isUsual = typeof delay === 'number' && (delay | 0) === delay && delay > 0
      openShared().startNameless(resolve, value, isUsual ? delay : coerceDelay(delay, platform.host))
    },
    startInterval: (callback, delay) => new Timeout(callback, delay, REPEATS),
  })
  rememberScheduler(setTimeout, () => shared)
  // A getter, as Node's is: who replaces the promise later replaces what util.promisify gives.
  Object.defineProperty(setTimeout, promisifyCustom, { get: () => promises.setTimeout, enumerable: true })
  return {
    setTimeout: setTimeout as unknown as Timers['setTimeout'],
    setInterval: setInterval as Timers['setInterval'],
    clearTimeout,
    clearInterval,
    promises,
    configure,
  }
}
