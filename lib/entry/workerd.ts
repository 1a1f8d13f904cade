/**
 * `timeout-wheel` on workerd, which cannot compile bytes: the WebAssembly module is imported as a file. There timers of the host
 * belong to requests, so only wheels that the program makes use the module: see lib/workerd.
 */
import type { TimeoutMap as ExpiringMap, TimeoutMapConstructor } from '../api/timeout-map.js'
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { timeoutMapClass } from '../map/timeout-map.js'
import type { WasmExports } from '../memory/wasm-exports.js'
import { timerGroupOn } from '../page/group.js'
import { pageHostOf } from '../page/host.js'
import { setLongTimeoutOn } from '../page/long-timeout.js'
import { promisesOn } from '../page/promises.js'
import type { TimerScheduler } from '../page/scheduler-types.js'
import { timeoutSignalOn, withTimeoutOn } from '../page/signals.js'
import { configureOn, familyOn, sharedLimits, wheelOn } from '../page/timers.js'
import type {
  SetInterval as Interval,
  SetLongTimeout as Long,
  SetTimeout as Once,
  PageTimeout,
} from '../types.js'
import { requestMapTimersOn } from '../workerd/map-timer.js'
import { type Counts, RequestTimers, requestStatsOn } from '../workerd/request-timers.js'
import compiled from './timeout_wheel.wasm'

export type * from '../types.js'
// The types with a handle, which take the place of those of Node.
export type { PageTimeout as Timeout } from '../types.js'
export interface SetTimeout extends Once<PageTimeout> {}
export interface SetInterval extends Interval<PageTimeout> {}
export interface SetLongTimeout extends Long<PageTimeout> {}

// Only the timers: they are not clamped on workerd, and a channel there belongs to the request that opens it.
const { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance, queueMicrotask } = globalThis
const globals = { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance }
const openCore = (): WasmExports => new WebAssembly.Instance(compiled).exports as unknown as WasmExports
const host = /* @__PURE__ */ pageHostOf(globals)
const limits = /* @__PURE__ */ sharedLimits()
const counts: Counts = { _pending: 0, _ran: 0 }
const open = (): TimerScheduler => new RequestTimers(host, counts)
const family = /* @__PURE__ */ familyOn(open, host)

// An interface of this module, so that declarations written by a compiler can name it.
export interface TimerWheel extends Wheel<PageTimeout> {}
/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export const TimerWheel: TimerWheelConstructor<TimerWheel> = /* @__PURE__ */ wheelOn(openCore, host, globals)

export interface TimeoutMap<K, V> extends ExpiringMap<K, V> {}
/** A Map whose entries expire. */
export const TimeoutMap: TimeoutMapConstructor = /* @__PURE__ */ timeoutMapClass(
  /* @__PURE__ */ requestMapTimersOn(host, counts, (callback) => queueMicrotask(callback)),
)

// A call instead of a property read: bundlers keep an unused read, and the object that it reads.
const member = <Name extends keyof typeof family>(name: Name): (typeof family)[Name] => family[name]
export const setTimeout: SetTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval: SetInterval = /* @__PURE__ */ member('setInterval')
export const setLongTimeout: SetLongTimeout = /* @__PURE__ */ setLongTimeoutOn(open)
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const timerGroup = /* @__PURE__ */ timerGroupOn(open)
export const promises = /* @__PURE__ */ promisesOn(open, host)
export const timeoutSignal = /* @__PURE__ */ timeoutSignalOn(open)
export const withTimeout = /* @__PURE__ */ withTimeoutOn(open)
export const configure = /* @__PURE__ */ configureOn(limits)
export const stats = /* @__PURE__ */ requestStatsOn(counts)

export const backend = 'wasm'
