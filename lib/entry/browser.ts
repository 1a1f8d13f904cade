/** `timeout-wheel` in a page or a worker: WebAssembly, compiled when the first wheel is made. */

import { openWasmCore } from '../backend/wasm_bytes.js'
import { pageDriver, pageDrivers } from '../drivers/page.js'
import { pageHostOf } from '../hosts/page.js'
import { familyOn, wheelOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

const host = /* @__PURE__ */ pageHostOf(globalThis)
const timers = /* @__PURE__ */ familyOn({
  host,
  openCore: openWasmCore,
  openBackend: /* @__PURE__ */ pageDriver(openWasmCore, host),
})
export const TimerWheel = /* @__PURE__ */ wheelOn({
  host,
  openCore: openWasmCore,
  openBackend: /* @__PURE__ */ pageDrivers(openWasmCore, host),
})
export type TimerWheel = Wheel

// A bundler that finds a property read keeps what it is read of.
const member = <Name extends keyof typeof timers>(name: Name): (typeof timers)[Name] => timers[name]
export const setTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval = /* @__PURE__ */ member('setInterval')
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const promises = /* @__PURE__ */ member('promises')

/** Which build of the core runs. */
export const backend = 'wasm'
