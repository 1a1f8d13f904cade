/**
 * Signals with a timer.
 *
 * The signal is that of an AbortController, with three methods as properties of its own. Another prototype would cost
 * 300 ns on Node 24, which is three times as much as all the rest. The methods are closures, so a program can pass them as callbacks.
 * Only the wheel refers to the controller of a pending signal: it keeps the signal until the timer ends, as
 * `AbortSignal.timeout` does for a signal with listeners.
 */
import type { TimeoutSignal } from '../api/signal.js'
import { checkDelay, checkSignalOptions } from './checks.js'
import type { StartDeadline } from './deadline.js'
import { disposeSymbol } from './dispose.js'

/** The part of an AbortController that a signal with a timer needs. */
export interface Controller {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

/** What a signal needs from its host. */
export interface SignalHost {
  _openController(): Controller
  _timeoutError(): unknown
}

/** The methods of the signal, before it has them. */
type Unfinished = { -readonly [Key in 'clear' | 'refresh' | typeof Symbol.dispose]: TimeoutSignal[Key] }

export function makeSignal(
  start: StartDeadline,
  { _openController, _timeoutError }: SignalHost,
  delay: number,
  options: unknown,
): TimeoutSignal {
  checkDelay(delay)
  const unref = checkSignalOptions(options)
  const controller = _openController()
  const signal = controller.signal as AbortSignal & Unfinished
  signal[disposeSymbol] = signal.clear = () => deadline._clear()
  signal.refresh = (next) => {
    if (next !== undefined) checkDelay(next)
    deadline._refresh(next)
    return signal as never
  }
  // Last, because an interruption of a later call would leave a timer without a signal.
  const deadline = start(() => controller.abort(_timeoutError()), delay, signal, unref)
  return signal as never
}
