/** `timeout-wheel/native`: the addon, or an error that says why not. */
import type { TimerWheel as Wheel } from '../wheel.js'
import { native } from './library.js'

export type * from './types.js'

const entry = native()
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
