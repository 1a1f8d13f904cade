/** `timeout-wheel/promises` in a page or a worker: the functions of `node:timers/promises`, on the shared wheel. */
import { promises } from './browser.js'

export type * from '../api/timers-promises.js'

export const { setTimeout, setImmediate, setInterval, scheduler } = promises
