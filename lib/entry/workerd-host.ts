/** The host of browser.ts on workerd, which compiles no bytes: the WebAssembly module is a file. Only wheels of the program use it. */
import type { WasmExports } from '../memory/instantiate-wasm.js'
import { wasmCores } from '../memory/wasm-core.js'
import { pageHostOf } from '../page/host.js'
import { mapEntriesOn } from '../wheel/map-timer.js'
import { groupKernelOn, requestTimersOn } from '../workerd/request-timers.js'
import compiled from './timeout_wheel.wasm'

// Only the timers: they are not clamped on workerd, and a channel there belongs to the request that opens it.
const { setTimeout, clearTimeout, performance, queueMicrotask } = globalThis
export const host = pageHostOf({ setTimeout, clearTimeout, performance })
export const openCore = wasmCores(() => new WebAssembly.Instance(compiled).exports as unknown as WasmExports)
const timers = requestTimersOn(host)
export const open = () => timers
export const openGroup = () => groupKernelOn(timers)
export const openEntries = mapEntriesOn(() => ({ _now: host._now, _set() {}, _soon: queueMicrotask }))
