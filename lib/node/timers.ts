/** What an entry exports: the class of its wheels, and the `setTimeout` family over a wheel shared by the whole program. */

import type { Timeout as Handle } from '../api/timeout.js'
import type { SharedWheelOptions, Timers } from '../api/timers.js'
import type { TimerWheelConstructor } from '../api/wheel.js'
import { DEFAULT_TICK } from '../common/defaults.js'
import { checkSharedOptions } from '../common/errors.js'
import { CLEAR, type Clearable, HANDLE_BRAND } from '../common/handle-brand.js'
import { rememberScheduler } from './active-resources.js'
import { coerceDelay } from './handles/coerce-delay.js'
import { clearOther } from './handles/handle-numbers.js'
import { ONCE, REPEATS } from './handles/handle-state.js'
import { contextTimeoutClass, timeoutClasses } from './handles/timeout-classes.js'
import { openScheduler, type Platform } from './open-scheduler.js'
import { promisesOn } from './promises.js'
import type { Scheduler } from './scheduler/scheduler.js'
import { timerWheelClass } from './wheel.js'

/** Where `util.promisify` looks for the function to give. */
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

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
    if ((timeout as Clearable | undefined)?.[HANDLE_BRAND] === undefined) clearOther(timeout, platform.host)
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
      openShared().scheduleUnnamed(resolve, value, isUsual ? delay : coerceDelay(delay, platform.host))
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
