/** `signal` of a wheel, and the functions `timeoutSignal` and `withTimeout` of the shared wheel, on Node. */
import type { MakeTimeoutSignal, WithTimeout } from '../api/signal.js'
import type { Host } from './host/host.js'
import { onDemand } from './on-demand/load.js'
import type { Scheduler } from './scheduler/scheduler.js'

type MakeSignal = ReturnType<ReturnType<typeof onDemand>['signalsOf']>

/** Returns a function that makes signals of a wheel. */
export function signalsOn(host: Host): MakeSignal {
  let make: MakeSignal | undefined
  return (open, delay, options) => {
    make ??= onDemand().signalsOf(host)
    return make(open, delay, options)
  }
}

export function timeoutSignalOn(host: Host, open: () => Scheduler): MakeTimeoutSignal {
  const make = signalsOn(host)
  return function timeoutSignal(delay, options) {
    return make(open, delay, options)
  }
}

export function withTimeoutOn(host: Host, open: () => Scheduler): WithTimeout {
  const { then } = Promise.prototype
  let wait: WithTimeout | undefined
  return function withTimeout(promise, delay, options) {
    wait ??= onDemand().withTimeoutOf(host, open, then)
    return wait(promise, delay, options)
  }
}
