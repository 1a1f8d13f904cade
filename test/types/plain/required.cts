/** The same with `require`. */
import timers = require('timeout-wheel')
import promises = require('timeout-wheel/promises')

const handle: timers.Timeout = timers.setTimeout(() => {}, 5)
timers.clearTimeout(handle)
export const waits: Promise<void>[] = [promises.setTimeout(5), timers.promises.setTimeout(5)]
export const makeWheel = () => new timers.TimerWheel()
export const setTimeout = timers.setTimeout
