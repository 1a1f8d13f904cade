/** Makes the exports of an entry besides the class of wheels: the `setTimeout` family on the shared wheel. */

import type { TimerGroupFunction } from '../api/group.js'
import type { MakeTimeoutSignal, WithTimeout } from '../api/signal.js'
import type { WheelStats } from '../api/stats.js'
import type { Timeout as Handle } from '../api/timeout.js'
import type { TimeoutMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { SharedWheelOptions, Timers } from '../api/timers.js'
import type { PendingTimer } from '../api/wheel.js'
import { checkCallback, checkConfigured, checkLongDelay } from '../common/checks.js'
import { MAX_TIMEOUT, ONCE, REPEATS } from '../common/constants.js'
import { PROMISES, promisesOn } from '../common/promises.js'
import { CLEAR, type Clearable, HANDLE_BRAND } from '../common/symbols.js'
import type { Kernel } from '../kernel/kernel.js'
import { timeoutMapClass } from '../map/timeout-map.js'
import { noStats, pendingTimersOf, statsOf } from '../wheel/looks.js'
import { wheelOf } from '../wheel/timer-wheel.js'
import type { Wheel } from '../wheel/wheel.js'
import { clearOther } from './handles/extra.js'
import { timeoutsOn } from './handles/handle.js'
import type { Platform } from './host/platform.js'
import { onDemand } from './on-demand/load.js'
import { type NodeWheel, openWheel, SHARED } from './open-wheel.js'
import { publishOpen } from './sight/channels.js'

/** The property in which `util.promisify` looks for the promise version of a function. */
const promisifyCustom = Symbol.for('nodejs.util.promisify.custom')

function inspectMap(
  this: TimeoutMap<unknown, unknown>,
  _depth: number,
  options: object,
  inspect?: (value: unknown, options: object) => string,
): unknown {
  const entries = new Map(this)
  return inspect === undefined ? entries : `Timeout${inspect(entries, options)}`
}

/** TimeoutMap, whose entries `util.inspect` shows as those of a Map. @param openShared opens the shared wheel */
function inspectableMapClass(openShared: () => Wheel): TimeoutMapConstructor {
  const TimeoutMap = timeoutMapClass((options) => {
    const { Entries, NodeMapTimer } = onDemand()
    return new Entries(
      options,
      (client, wheel, holds) =>
        new NodeMapTimer(client, wheel === undefined ? openShared() : wheelOf(wheel), holds),
    )
  })
  Object.defineProperty(
    (TimeoutMap as unknown as { prototype: object }).prototype,
    Symbol.for('nodejs.util.inspect.custom'),
    {
      value: inspectMap,
      configurable: true,
      writable: true,
    },
  )
  return TimeoutMap
}

/** @param budget the budget of the shared wheel until `configure` sets another */
export function familyOn(platform: Platform, budget: number): Omit<Timers, 'TimerWheel'> {
  // Opened when it is first needed, so that an import of the package costs no memory.
  let shared: NodeWheel | undefined
  let measure = false
  function openShared(): Wheel {
    if (shared !== undefined) return shared
    shared = openWheel(platform, { ...SHARED, budget, measure })
    publishOpen(SHARED.name, stats)
    return shared
  }
  function sharedKernel(): Kernel {
    return openShared()._kernel
  }
  const { Timeout, make } = timeoutsOn(platform.host, true, sharedKernel)
  type Callback = (this: Handle, ...args: never[]) => unknown

  function setTimeout(callback: Callback, delay?: number, ...args: unknown[]): Handle {
    if (args.length > 0) return make(undefined, callback, delay, ONCE, args)
    // As `isUsual` says, written out: a call would run more cold code.
    if (typeof callback !== 'function' || typeof delay !== 'number' || (delay | 0) !== delay || delay <= 0)
      return make(undefined, callback, delay, ONCE)
    const timeout = new Timeout(callback, delay, ONCE)
    timeout._unit = timeout._kernel._set(timeout, delay)
    return timeout
  }
  function setInterval(callback: Callback, delay?: number, ...args: unknown[]): Handle {
    return make(undefined, callback, delay, REPEATS, args.length === 0 ? undefined : args)
  }
  function setLongTimeout(callback: Callback, delay?: number, ...all: unknown[]): Handle {
    checkCallback(callback)
    const ms = checkLongDelay(delay)
    const args = all.length === 0 ? undefined : all
    const options = ms > MAX_TIMEOUT ? { delay: Math.trunc(ms), drift: true } : undefined
    return make(undefined, callback, ms, ONCE, args, options)
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
    ;({ budget, measure } = checkConfigured(options, budget, measure))
    if (shared === undefined) return
    shared._setBudget(budget)
    shared._measure(measure)
  }
  function pendingTimers(): PendingTimer<Handle>[] {
    return shared === undefined ? [] : (pendingTimersOf(shared) as PendingTimer<Handle>[])
  }
  function stats(): WheelStats {
    return shared === undefined ? noStats() : statsOf(shared)
  }
  const timerGroup: TimerGroupFunction = function timerGroup(onExpire, delay, options) {
    return onDemand().timerGroupOn(sharedKernel)(onExpire, delay, options)
  }
  const timeoutSignal: MakeTimeoutSignal = function timeoutSignal(delay, options) {
    return onDemand().openSignal(platform.host, sharedKernel, true, delay, options)
  }
  const { then } = Promise.prototype
  let wait: WithTimeout | undefined
  const withTimeout: WithTimeout = function withTimeout(promise, delay, options) {
    wait ??= onDemand().withTimeoutOf(sharedKernel, then)
    return wait(promise, delay, options)
  }
  for (const set of [setTimeout, setInterval]) {
    Object.defineProperty(set, 'length', { value: platform.host.setTimeoutLength })
  }
  const promises = promisesOn({ setTimeout, setInterval }, platform.host.promisedImmediate)
  // A getter, as in Node: after a replacement of `promises.setTimeout`, util.promisify returns the new function.
  Object.defineProperty(setTimeout, promisifyCustom, { get: () => promises.setTimeout, enumerable: true })
  Object.defineProperty(setTimeout, PROMISES, { value: promises })
  return {
    TimeoutMap: inspectableMapClass(openShared),
    setTimeout: setTimeout as unknown as Timers['setTimeout'],
    setInterval: setInterval as unknown as Timers['setInterval'],
    setLongTimeout: setLongTimeout as Timers['setLongTimeout'],
    clearTimeout,
    clearInterval,
    timeoutSignal,
    withTimeout,
    configure,
    timerGroup,
    pendingTimers,
    stats,
  }
}
