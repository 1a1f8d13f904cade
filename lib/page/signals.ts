/** `signal` of a wheel, and the functions `timeoutSignal` and `withTimeout` of the shared wheel, in a page. */
import type { MakeTimeoutSignal, WithTimeout } from '../api/signal.js'
import { countdownsOn, type TimerKernel } from '../wheel/countdown.js'
import { makeSignal } from '../wheel/timeout-signal.js'
import { withTimeoutOn as withTimeoutOnHost } from '../wheel/with-timeout.js'

// The present class, because test tools replace globals.
const openController = () => new AbortController()

export function timeoutSignalOn(open: () => TimerKernel): MakeTimeoutSignal {
  return function timeoutSignal(delay, options) {
    return makeSignal(countdownsOn(open), openController, Object.assign, delay, options)
  }
}

export function withTimeoutOn(open: () => TimerKernel): WithTimeout {
  return withTimeoutOnHost(countdownsOn(open))
}
