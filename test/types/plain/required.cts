/** The same with `require`. */
import timers = require('timeout-wheel')
import durable = require('timeout-wheel/durable')
import http = require('timeout-wheel/http')
import native = require('timeout-wheel/native')
import promises = require('timeout-wheel/promises')
import registration = require('timeout-wheel/register')
import wasm = require('timeout-wheel/wasm')

const handle: timers.Timeout = timers.setTimeout(() => {}, 5)
timers.clearTimeout(handle)
export const waits: Promise<void>[] = [promises.setTimeout(5), new timers.TimerWheel().promises.setTimeout(5)]
export const makeWheel = () => new timers.TimerWheel()
export const setTimeout = timers.setTimeout
export const open = () => durable.DurableTimers.open(':memory:')
export const others = [http.idleTimeout, native.setTimeout, registration.register, wasm.setTimeout]
