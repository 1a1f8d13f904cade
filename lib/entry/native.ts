/** `timeout-wheel/native`: always the addon. If it does not load, the import throws an error with the reason. */
import type { TimerWheelConstructor, TimerWheel as Wheel } from '../api/wheel.js'
import { native } from './choose-backend.js'

export type * from '../types.js'

const entry = native()
// An interface of this module, so that declarations written by a compiler can name it.
export interface TimerWheel extends Wheel {}
/** A separate timing wheel with a clock, a budget and a lifecycle of its own. */
export const TimerWheel: TimerWheelConstructor<TimerWheel> = entry.TimerWheel
/** Runs a callback once after a delay: Node's `setTimeout`, on a wheel that the whole program shares. */
export const setTimeout = entry.setTimeout
/** Runs a callback every `delay` milliseconds; otherwise as `setTimeout`. */
export const setInterval = entry.setInterval
/** Node's own function, for programs that import all their timers from one module. */
export const setImmediate = entry.setImmediate
/** Clears a timer by its handle, or by its number as a number or a string. */
export const clearTimeout = entry.clearTimeout
/** Does the same as `clearTimeout`. */
export const clearInterval = entry.clearInterval
/** Node's own function. */
export const clearImmediate = entry.clearImmediate
/** The functions of Node's `timers/promises`, on the same wheel. */
export const promises = entry.promises
/** Sets options of the shared wheel, at any time: `configure({ budget: 10 })`. */
export const configure = entry.configure
/** The build of the core that runs. */
export const backend = entry.backend
