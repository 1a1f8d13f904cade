/** `timeout-wheel`: the addon where it loads, WebAssembly where it does not. */
import type { TimerWheel as Wheel } from '../wheel.js'
import { nativeOrWasm } from './library.js'

export type * from './types.js'

const entry = nativeOrWasm()
export const {
  TimerWheel,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  promises,
  /** Which build of the core runs. `TIMEOUT_WHEEL_BACKEND=native` or `wasm` in the environment forces one. */
  backend,
} = entry
export type TimerWheel = Wheel
