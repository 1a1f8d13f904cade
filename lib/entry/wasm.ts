/** `timeout-wheel/wasm` where Node's modules are: always WebAssembly. */
import type { TimerWheel as Wheel } from '../wheel.js'
import { wasm } from './library.js'

export type * from './types.js'

const entry = wasm()
export const {
  TimerWheel,
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  promises,
  /** Which build of the core runs. */
  backend,
} = entry
export type TimerWheel = Wheel
