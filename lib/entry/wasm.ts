/** `timeout-wheel/wasm` where Node's modules are: always WebAssembly. */

import { openWasmCore } from '../backend/wasm_bytes.js'
import type { Backend } from '../backend.js'
import { HostBackend } from '../drivers/host.js'
import { immediates, nodeHost } from '../hosts/node.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

export const { TimerWheel, setTimeout, setInterval, clearTimeout, clearInterval, promises } = timersOn({
  host: nodeHost,
  openCore: openWasmCore,
  openBackend: (tick, client): Backend => new HostBackend(openWasmCore(), nodeHost, tick, client),
})
export type TimerWheel = Wheel
export const { setImmediate, clearImmediate } = immediates

/** Which build of the core runs. */
export const backend = 'wasm'
