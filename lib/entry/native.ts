/** `timeout-wheel/native`: the addon, or an error that says why not. */
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { native } from './choose-backend.js'

export type * from '../types.js'

const entry = native()
// An interface of this module, not the name of another's: so can declarations name it that a compiler writes.
export interface TimerWheel extends Wheel {}
/** A timing wheel of one's own: apart from all others, and stopped as one. */
export const TimerWheel: TimerWheelConstructor<TimerWheel> = entry.TimerWheel
/** Runs a callback once, after a delay: `setTimeout` of Node, on a wheel that the whole program shares. */
export const setTimeout = entry.setTimeout
/** Runs a callback every so many milliseconds, as `setTimeout` runs it once. */
export const setInterval = entry.setInterval
/** Node's own, for programs that take all their timers from one module. */
export const setImmediate = entry.setImmediate
/** Clears a timer by its handle, or by its number as a number or a string. */
export const clearTimeout = entry.clearTimeout
/** Does the same as `clearTimeout`. */
export const clearInterval = entry.clearInterval
/** Node's own. */
export const clearImmediate = entry.clearImmediate
/** The functions of Node's `timers/promises`, on the same wheel. */
export const promises = entry.promises
/** Sets options of the wheel that the whole program shares, at any time: `configure({ budget: 10 })`. */
export const configure = entry.configure
/** Which build of the core runs. */
export const backend = entry.backend
