/** `timeout-wheel` in a page, in a worker, and on workerd. */
import type { PageTimeout } from '../api/timeout.js'
import type { TimeoutMap as ExpiringMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { timeoutMapClass } from '../map/timeout-map.js'
import { timeoutSignalOn, withTimeoutOn } from '../page/signals.js'
import { configureOn, familyOn, pendingTimersOn, setLongTimeoutOn, statsOn } from '../page/timers.js'
import { timerWheelOn } from '../page/wheel.js'
import type { SetInterval as Interval, SetLongTimeout as Long, SetTimeout as Once } from '../types.js'
import { timerGroupOn } from '../wheel/group.js'
import { host, open, openCore, openEntries, openGroup } from './browser-host.js'
import { shared } from './shared-wheel.js'

// The types with a handle, which take the place of those of Node.
export type { PageTimeout as Timeout } from '../api/timeout.js'
export type * from '../types.js'
export interface SetTimeout extends Once<PageTimeout> {}
export interface SetInterval extends Interval<PageTimeout> {}
export interface SetLongTimeout extends Long<PageTimeout> {}

const family = /* @__PURE__ */ familyOn(open, host)

// An interface of this module, so that declarations written by a compiler can name it.
export interface TimerWheel extends Wheel<PageTimeout> {}
/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export const TimerWheel: TimerWheelConstructor<TimerWheel> = /* @__PURE__ */ timerWheelOn(
  openCore,
  host,
  globalThis,
)

export interface TimeoutMap<K, V> extends ExpiringMap<K, V> {}
/** A Map whose entries expire. */
export const TimeoutMap: TimeoutMapConstructor = /* @__PURE__ */ timeoutMapClass(openEntries)

// A call instead of a property read: bundlers keep an unused read, and the object that it reads.
const member = <Name extends keyof typeof family>(name: Name): (typeof family)[Name] => family[name]
export const setTimeout: SetTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval: SetInterval = /* @__PURE__ */ member('setInterval')
export const setLongTimeout: SetLongTimeout = /* @__PURE__ */ setLongTimeoutOn(open)
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const timerGroup = /* @__PURE__ */ timerGroupOn(openGroup)
export const timeoutSignal = /* @__PURE__ */ timeoutSignalOn(open)
export const withTimeout = /* @__PURE__ */ withTimeoutOn(open)
export const configure = /* @__PURE__ */ configureOn(shared)
export const pendingTimers = /* @__PURE__ */ pendingTimersOn(shared, host)
export const stats = /* @__PURE__ */ statsOn(shared, host)

export const backend = 'wasm'
