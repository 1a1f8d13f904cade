/** Timers that are set with options in place of a delay. */
import { CLEAR } from '../../common/handle-brand.js'
import { stopListening } from '../../common/stop-listening.js'
import type { Host } from '../host/host.js'
import { NOT_REFRESHABLE } from '../scheduler/timer-target.js'
import { MAX_TIMEOUT } from './coerce-delay.js'
import type { AbortListener } from './handle-state.js'
import type { WheelTimeout } from './timeout-types.js'

function abortListener(timeout: WheelTimeout, signal: AbortSignal, host: Host): AbortListener {
  const abort = () => {
    timeout[CLEAR] = true
  }
  return {
    start: () =>
      signal.aborted ? abort() : signal.addEventListener('abort', abort, host.abortListenerOptions()),
    end: () => stopListening(signal, abort),
  }
}

/** Lets a new timer have an exact delay and end with a signal. Clears it if the signal refuses the listener. Returns it. */
export function withOptions(
  timeout: WheelTimeout,
  delay: number,
  signal: AbortSignal | undefined,
  host: Host,
): WheelTimeout {
  if (delay > MAX_TIMEOUT) timeout._order = NOT_REFRESHABLE
  if (signal === undefined) return timeout
  const listener = abortListener(timeout, signal, host)
  timeout._addExtra().listener = listener
  try {
    listener.start()
  } catch (error) {
    timeout[CLEAR] = true
    throw error
  }
  return timeout
}
