/** `timeout-wheel` on workerd, which compiles no bytes: the WebAssembly module is imported as a file. */

import { wasmCores } from '../backend/wasm.js'
import { pageDrivers } from '../drivers/page.js'
import { pageHostOf } from '../hosts/page.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'
import compiled from './timeout_wheel.wasm'

export type * from './types.js'

// Its channels belong to the request that opens them, and its timers are not clamped: those alone.
const { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance } = globalThis
const host = /* @__PURE__ */ pageHostOf({
  setTimeout: hostSetTimeout,
  clearTimeout: hostClearTimeout,
  performance,
})
const openCore = /* @__PURE__ */ wasmCores(() => compiled)
const timers = /* @__PURE__ */ timersOn({
  host,
  openCore,
  openBackend: /* @__PURE__ */ pageDrivers(openCore, host),
})
export const TimerWheel = timers.TimerWheel
export type TimerWheel = Wheel
export const setTimeout = timers.setTimeout
export const setInterval = timers.setInterval
export const clearTimeout = timers.clearTimeout
export const clearInterval = timers.clearInterval

/** Which build of the core runs. */
export const backend = 'wasm'
