/**
 * `timeout-wheel` on workerd, which cannot compile bytes: the WebAssembly module is imported as a file. There timers of the host
 * belong to requests, so only wheels that the program makes use the module: see lib/workerd.
 */
import { timeoutMapClass } from '../map/timeout-map.js'
import type { WasmExports } from '../memory/wasm-exports.js'
import { timerGroupOn } from '../page/group.js'
import { pageHostOf } from '../page/host.js'
import { setLongTimeoutOn } from '../page/long-timeout.js'
import { promisesOn } from '../page/promises.js'
import type { TimerScheduler } from '../page/scheduler-types.js'
import { timeoutSignalOn, withTimeoutOn } from '../page/signals.js'
import { configureOn, familyOn, sharedLimits, wheelOn } from '../page/timers.js'
import { requestMapEntriesOn } from '../workerd/map-timer.js'
import { type Counts, RequestTimers, requestStatsOn } from '../workerd/request-timers.js'
import compiled from './timeout_wheel.wasm'

// Only the timers: they are not clamped on workerd, and a channel there belongs to the request that opens it.
const { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance, queueMicrotask } = globalThis
const globals = { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance }
const openCore = (): WasmExports => new WebAssembly.Instance(compiled).exports as unknown as WasmExports
const host = /* @__PURE__ */ pageHostOf(globals)
const limits = /* @__PURE__ */ sharedLimits()
const counts: Counts = { _pending: 0, _ran: 0 }
const open = (): TimerScheduler => new RequestTimers(host, counts)
const family = /* @__PURE__ */ familyOn(open, host)

export const TimerWheel = /* @__PURE__ */ wheelOn(openCore, host, globals)
export const TimeoutMap = /* @__PURE__ */ timeoutMapClass(
  /* @__PURE__ */ requestMapEntriesOn(host, counts, (callback) => queueMicrotask(callback)),
)

// A call instead of a property read: bundlers keep an unused read, and the object that it reads.
const member = <Name extends keyof typeof family>(name: Name): (typeof family)[Name] => family[name]
export const setTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval = /* @__PURE__ */ member('setInterval')
export const setLongTimeout = /* @__PURE__ */ setLongTimeoutOn(open)
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const timerGroup = /* @__PURE__ */ timerGroupOn(open)
export const promises = /* @__PURE__ */ promisesOn(open, host)
export const timeoutSignal = /* @__PURE__ */ timeoutSignalOn(open)
export const withTimeout = /* @__PURE__ */ withTimeoutOn(open)
export const configure = /* @__PURE__ */ configureOn(limits)
export const stats = /* @__PURE__ */ requestStatsOn(counts)

export const backend = 'wasm'
