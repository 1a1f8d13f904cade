/** `timeout-wheel` in a page or a worker: WebAssembly, compiled when the first wheel is made. */

import { openWasmCore } from '../backend/wasm.js'
import type { Backend } from '../backend.js'
import { HostBackend } from '../drivers/host.js'
import { pageHost } from '../hosts/page.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

const timers = /* @__PURE__ */ timersOn({
  host: pageHost,
  openCore: openWasmCore,
  openBackend: (tick, client): Backend => new HostBackend(openWasmCore(), pageHost, tick, client),
})
export const TimerWheel = timers.TimerWheel
export type TimerWheel = Wheel
export const setTimeout = timers.setTimeout
export const setInterval = timers.setInterval
export const clearTimeout = timers.clearTimeout
export const clearInterval = timers.clearInterval
export const promises = timers.promises

/** Which build of the core runs. */
export const backend = 'wasm'
