/** The host of browser.ts in a page or a worker. WebAssembly is compiled when the first wheel is made. On workerd, workerd-host.ts takes its place. */
import { instantiateWasm } from '../memory/instantiate-wasm.js'
import { wasmCores } from '../memory/wasm-core.js'
import { pageHostOf } from '../page/host.js'
import { sharedOn, wheelOn } from '../page/timers.js'
import { mapEntriesOn, WheelMapTimer } from '../wheel/map-timer.js'
import { shared } from './shared-wheel.js'

export const host = /* @__PURE__ */ pageHostOf(globalThis)
export const openCore = /* @__PURE__ */ wasmCores(instantiateWasm)
export const open = /* @__PURE__ */ sharedOn(host, openCore, shared)
export { open as openGroup }
export const openEntries = /* @__PURE__ */ mapEntriesOn(
  (client) => new WheelMapTimer(client, wheelOn(open(), shared, host)),
)
