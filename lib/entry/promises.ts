/** `timeout-wheel/promises` on Node: the functions of `node:timers/promises`, on the shared wheel. */
import { promisesOf } from '../common/promises.js'
import { setTimeout as withCallback } from './node.js'

export type * from '../api/timers-promises.js'

const promises = promisesOf(withCallback)
export const { setTimeout, setImmediate, setInterval, scheduler } = promises
