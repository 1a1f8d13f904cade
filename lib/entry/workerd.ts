/** `timeout-wheel` on workerd, which compiles no bytes: the WebAssembly module is imported as a file. */

import { wasmCores } from '../backend/wasm.js'
import { pageDriver, pageDrivers } from '../drivers/page.js'
import { pageHostOf } from '../hosts/page.js'
import { familyOn, wheelOn } from '../timers.js'
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
const timers = /* @__PURE__ */ familyOn({
  host,
  openCore,
  openBackend: /* @__PURE__ */ pageDriver(openCore, host),
})
export const TimerWheel = /* @__PURE__ */ wheelOn({
  host,
  openCore,
  openBackend: /* @__PURE__ */ pageDrivers(openCore, host),
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
