/** `timeout-wheel` in a page or a worker: WebAssembly, compiled when the first wheel is made. */

import { openWasmCore } from '../backend/wasm_bytes.js'
import { pageDrivers } from '../drivers/page.js'
import { pageHostOf } from '../hosts/page.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

const host = /* @__PURE__ */ pageHostOf(globalThis)
const timers = /* @__PURE__ */ timersOn({
  host,
  openCore: openWasmCore,
  openBackend: /* @__PURE__ */ pageDrivers(openWasmCore, host),
})
export const TimerWheel = timers.TimerWheel
export type TimerWheel = Wheel
export const setTimeout = timers.setTimeout
export const setInterval = timers.setInterval
export const clearTimeout = timers.clearTimeout
export const clearInterval = timers.clearInterval

/** Which build of the core runs. */
export const backend = 'wasm'
