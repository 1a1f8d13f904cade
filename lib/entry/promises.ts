/** `timeout-wheel/promises` on Node: the functions of `node:timers/promises`, on the shared wheel. */
import { promises } from './node.js'

export type * from '../api/timers-promises.js'

export const { setTimeout, setImmediate, setInterval, scheduler } = promises
