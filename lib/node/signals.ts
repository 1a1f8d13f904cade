/** `signal` of a wheel, and the functions `timeoutSignal` and `withTimeout` of the shared wheel, on Node. */
import type { MakeTimeoutSignal, TimeoutSignal, TimeoutSignalOptions, WithTimeout } from '../api/signal.js'
import { makeSignal } from '../common/timeout-signal.js'
import { withTimeoutOn as withTimeoutOnHost } from '../common/with-timeout.js'
import { deadlinesOn } from './deadline.js'
import type { Host } from './host/host.js'
import { AbortError } from './host/node-errors.js'
import { giveMethods } from './host/signal-prototype.js'
import type { Scheduler } from './scheduler/scheduler.js'

const timeoutErrors = (host: Host) => () => new DOMException(host.timeoutMessage, 'TimeoutError')

/** Returns a function that makes a signal of a wheel. */
export function signalsOf(host: Host) {
  const timeoutError = timeoutErrors(host)
  return (open: () => Scheduler, delay: number, options: TimeoutSignalOptions | undefined): TimeoutSignal =>
    makeSignal(deadlinesOn(open), host.openController, giveMethods, timeoutError, delay, options)
}

export function timeoutSignalOn(host: Host, open: () => Scheduler): MakeTimeoutSignal {
  const make = signalsOf(host)
  return function timeoutSignal(delay, options) {
    return make(open, delay, options)
  }
}

export function withTimeoutOn(host: Host, open: () => Scheduler): WithTimeout {
  return withTimeoutOnHost({
    _start: deadlinesOn(open),
    _timeoutError: timeoutErrors(host),
    _abortError: (signal) => new AbortError(signal),
    _listening: host.abortListenerOptions,
  })
}
