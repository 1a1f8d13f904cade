/** `timeout-wheel/promises` in a page or a worker: the functions of `node:timers/promises`, on the shared wheel. */
import { immediateOn, promisesOn } from '../common/promises.js'
import { openSteps } from '../page/message-tasks.js'
import { setInterval as repeat, setTimeout as withCallback } from './browser.js'

export type * from '../api/timers-promises.js'

// The build for workerd has no channel there, because it would belong to the request that opens it.
const tasks = openSteps(globalThis.MessageChannel, () => 0, withCallback)
const promises = promisesOn({ setTimeout: withCallback, setInterval: repeat }, immediateOn(tasks))
export const { setTimeout, setImmediate, setInterval, scheduler } = promises
