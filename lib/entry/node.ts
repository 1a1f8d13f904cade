/** `timeout-wheel`: the addon where it loads, WebAssembly where it does not. */
import { loadAddon, NativeBackendError, openNativeBackend, openNativeCore } from '../backend/native.js'
import { openWasmCore } from '../backend/wasm_bytes.js'
import { HostBackend } from '../drivers/host.js'
import { immediates, nodeHost } from '../hosts/node.js'
import type { Platform } from '../open_scheduler.js'
import { timersOn } from '../timers.js'
import type { TimerWheel as Wheel } from '../wheel.js'

export type * from './types.js'

const native: Platform = { host: nodeHost, openCore: openNativeCore, openBackend: openNativeBackend }
const wasm: Platform = {
  host: nodeHost,
  openCore: openWasmCore,
  openBackend: (tick, client) => new HostBackend(openWasmCore(), nodeHost, tick, client),
}

function choose(): Platform {
  const forced = process.env.TIMEOUT_WHEEL_BACKEND
  if (forced === 'wasm') return wasm
  if (forced !== undefined && forced !== '' && forced !== 'native') {
    throw new RangeError(`TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got ${JSON.stringify(forced)}`)
  }
  try {
    loadAddon()
    return native
  } catch (error) {
    if (forced === 'native' || !(error instanceof NativeBackendError)) throw error
    return wasm
  }
}

const platform = choose()

export const { TimerWheel, setTimeout, setInterval, clearTimeout, clearInterval, promises } =
  timersOn(platform)
export type TimerWheel = Wheel
export const { setImmediate, clearImmediate } = immediates

/** Which build of the core runs. `TIMEOUT_WHEEL_BACKEND=native` or `wasm` in the environment forces one. */
export const backend: 'native' | 'wasm' = platform === native ? 'native' : 'wasm'
