/** `timeout-wheel` in a page or a worker: WebAssembly, compiled when the first wheel is made. */
import type { PageTimeout } from '../api/timeout.js'
import type { TimeoutMap as ExpiringMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { timeoutMapClass } from '../map/timeout-map.js'
import { instantiateWasm } from '../memory/instantiate-wasm.js'
import { wasmCores } from '../memory/wasm-core.js'
import { pageHostOf } from '../page/host.js'
import { timeoutSignalOn, withTimeoutOn } from '../page/signals.js'
// biome-ignore format: a list of words
import {
  configureOn, familyOn, pendingTimersOn, setLongTimeoutOn, sharedOn, sharedWheel, statsOn, wheelOn,
} from '../page/timers.js'
import { timerWheelOn } from '../page/wheel.js'
import type { SetInterval as Interval, SetLongTimeout as Long, SetTimeout as Once } from '../types.js'
import { timerGroupOn } from '../wheel/group.js'
import { mapEntriesOn, WheelMapTimer } from '../wheel/map-timer.js'

// The types with a handle, which take the place of those of Node.
export type { PageTimeout as Timeout } from '../api/timeout.js'
export type * from '../types.js'
export interface SetTimeout extends Once<PageTimeout> {}
export interface SetInterval extends Interval<PageTimeout> {}
export interface SetLongTimeout extends Long<PageTimeout> {}

const host = /* @__PURE__ */ pageHostOf(globalThis)
const openCore = /* @__PURE__ */ wasmCores(instantiateWasm)
const shared = /* @__PURE__ */ sharedWheel()
const open = /* @__PURE__ */ sharedOn(host, openCore, shared)
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
export const TimeoutMap: TimeoutMapConstructor = /* @__PURE__ */ timeoutMapClass(
  /* @__PURE__ */ mapEntriesOn((client) => new WheelMapTimer(client, wheelOn(open(), shared, host))),
)

// A call instead of a property read: bundlers keep an unused read, and the object that it reads.
const member = <Name extends keyof typeof family>(name: Name): (typeof family)[Name] => family[name]
export const setTimeout: SetTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval: SetInterval = /* @__PURE__ */ member('setInterval')
export const setLongTimeout: SetLongTimeout = /* @__PURE__ */ setLongTimeoutOn(open)
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const timerGroup = /* @__PURE__ */ timerGroupOn(open)
export const timeoutSignal = /* @__PURE__ */ timeoutSignalOn(open)
export const withTimeout = /* @__PURE__ */ withTimeoutOn(open)
export const configure = /* @__PURE__ */ configureOn(shared)
export const pendingTimers = /* @__PURE__ */ pendingTimersOn(shared, host)
export const stats = /* @__PURE__ */ statsOn(shared, host)

export const backend = 'wasm'
