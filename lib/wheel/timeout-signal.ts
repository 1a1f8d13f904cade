/**
 * Signals with a timer.
 *
 * The signal is that of an AbortController, with further methods. They are closures, so a program can pass them as callbacks.
 * Only the wheel refers to the controller of a pending signal: it keeps the signal until the timer ends, as
 * `AbortSignal.timeout` does for a signal with listeners.
 */
import type { TimeoutSignal } from '../api/signal.js'
import { checkDelay, checkUnref } from '../common/checks.js'
import { timedOut } from '../common/errors.js'
import { disposeSymbol } from '../common/symbols.js'

/** The timer of a signal or of `withTimeout`. */
export interface Countdown {
  /** Ends the timer. Without effect if it is not pending. */
  _clear(): void
  /** Starts a delay from now. Without effect if the timer is not pending. */
  _refresh(delay: number): void
}

/**
 * Sets a timer that calls `callback`.
 *
 * @param argument the argument with which `stop()` returns the callback
 * @param unref whether the timer lets the process end
 */
export type StartCountdown = (
  callback: () => void,
  delay: number,
  argument: unknown,
  unref: boolean,
) => Countdown

/** The part of an AbortController that a signal with a timer needs. */
export interface Controller {
  readonly signal: AbortSignal
  abort(reason: unknown): void
}

/** The methods of a signal with a timer. */
export type SignalMethods = Pick<TimeoutSignal, 'clear' | 'refresh' | typeof disposeSymbol>

/**
 * @param openController makes a controller
 * @param give gives a signal of such a controller its methods
 * @param ms the delay, and after `refresh(delay)` the new one
 */
export function makeSignal(
  start: StartCountdown,
  openController: () => Controller,
  give: (signal: AbortSignal, methods: SignalMethods) => void,
  ms: number,
  options: unknown,
): TimeoutSignal {
  checkDelay(ms)
  const unref = checkUnref(options) ?? true
  const controller = openController()
  const signal = controller.signal as TimeoutSignal
  // Undefined when the timer is over, because the program can keep the signal.
  let deadline: Countdown | undefined
  const clear = () => {
    deadline?._clear()
    deadline = undefined
  }
  give(signal, {
    clear,
    refresh(delay = ms) {
      checkDelay(delay)
      ms = delay
      deadline?._refresh(ms)
      return signal as never
    },
    [disposeSymbol]: clear,
  })
  const end = () => {
    deadline = undefined
    controller.abort(timedOut(ms))
  }
  deadline = start(end, ms, signal, unref)
  return signal
}
