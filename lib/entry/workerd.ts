/** `timeout-wheel` on workerd, which compiles no bytes: the WebAssembly module is imported as a file. */
import { pageHostOf } from '../page/host.js'
import { promisesOn } from '../page/promises.js'
import type { Core } from '../page/scheduler.js'
import { familyOn, sharedOn, wheelOn } from '../page/timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'
import compiled from './timeout_wheel.wasm'

export type * from './types.js'

// Its channels belong to the request that opens them, and its timers are not clamped: those alone.
const { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance } = globalThis
const globals = { setTimeout: hostSetTimeout, clearTimeout: hostClearTimeout, performance }
const openCore = (): Core => new WebAssembly.Instance(compiled).exports as unknown as Core
const host = /* @__PURE__ */ pageHostOf(globals)
const open = /* @__PURE__ */ sharedOn(host, openCore)
const family = /* @__PURE__ */ familyOn(open, host)

export const TimerWheel = /* @__PURE__ */ wheelOn(openCore, host, globals)
export type TimerWheel = Wheel

// A bundler that finds a property read keeps what it is read of.
const member = <Name extends keyof typeof family>(name: Name): (typeof family)[Name] => family[name]
export const setTimeout = /* @__PURE__ */ member('setTimeout')
export const setInterval = /* @__PURE__ */ member('setInterval')
export const clearTimeout = /* @__PURE__ */ member('clearTimeout')
export const clearInterval = /* @__PURE__ */ member('clearInterval')
export const promises = /* @__PURE__ */ promisesOn(open, host)

/** Which build of the core runs. */
export const backend = 'wasm'
