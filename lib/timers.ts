/** What an entry exports: the class of its wheels, and the `setTimeout` family over a wheel shared by the whole program. */
import { rememberScheduler } from './active_resources.js'
import { coerceDelay } from './delay.js'
import { ONCE, REPEATS } from './handle_state.js'
import { openScheduler, type Platform } from './open_scheduler.js'
import { CLEAR, type Clearable, IS_OURS } from './ours.js'
import type { Scheduler } from './scheduler.js'
import { clearOther, contextTimeoutClass, type Timeout as Handle, timeoutClasses } from './timeout.js'
import { promisesOn, type TimersPromises } from './timers_promises.js'
import { type TimerWheel, type TimerWheelConstructor, timerWheelClass } from './wheel.js'

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
}

/** Where `util.promisify` looks for the function to give. */
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

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
  let shared: Scheduler | undefined
  const openShared = () => {
    shared ??= openScheduler(platform, DEFAULT_TICK, DEFAULT_BUDGET)
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
  }
}
