/** `timeout-wheel` in a page or a worker: WebAssembly, compiled when the first wheel is made. */
import { instantiateWasm } from '../backend/wasm_bytes.js'
import { pageHostOf } from '../page/host.js'
import { promisesOn } from '../page/promises.js'
import { familyOn, sharedOn, wheelOn } from '../page/timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

const host = /* @__PURE__ */ pageHostOf(globalThis)
const open = /* @__PURE__ */ sharedOn(host, instantiateWasm)
const family = /* @__PURE__ */ familyOn(open, host)

export const TimerWheel = /* @__PURE__ */ wheelOn(instantiateWasm, host, globalThis)
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
