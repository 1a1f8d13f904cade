/**
 * Signals with a timer.
 *
 * The signal is that of an AbortController. `clear` and `refresh` are accessors of a prototype before `AbortSignal.prototype`: a
 * function that is a property of the signal itself would be cloned with it, which is an error. The accessors return closures, so
 * a program can pass the methods as callbacks.
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
interface SignalHost {
  /** Makes a controller. Its signal can have the prototype of signals with a timer already. */
  _openController(): Controller
  _timeoutError(): unknown
  /** Prepares the prototype of signals. */
  _prepare?(prototype: object): void
  /** Called after the abort. */
  _aborted?(signal: AbortSignal): void
}

type Methods = Pick<TimeoutSignal, 'clear' | 'refresh'>

/** The property of a signal with its methods. A clone does not have it, because the key is a symbol. */
const methods: unique symbol = /* @__PURE__ */ Symbol() as never

interface Timed {
  [methods]: Methods
}

/** The prototype of our signals, and the one that it inherits from. Test tools can replace the class of signals. */
let prototype: object
let inherited: object | undefined

/** Returns a prototype for signals with a timer. @param native the prototype of the host's signals */
export const prototypeOn = (native: object): object => ({
  __proto__: native,
  get clear() {
    return (this as unknown as Timed)[methods].clear
  },
  get refresh() {
    return (this as unknown as Timed)[methods].refresh
  },
  get [disposeSymbol]() {
    return (this as unknown as Timed)[methods].clear
  },
})

function giveMethods(signal: object, prepare: SignalHost['_prepare']): void {
  const native = Object.getPrototypeOf(signal)
  if (inherited !== native) {
    prototype = prototypeOn(native)
    prepare?.(prototype)
    inherited = native
  }
  Object.setPrototypeOf(signal, prototype)
}

export function makeSignal(
  start: StartDeadline,
  { _openController, _timeoutError, _prepare, _aborted }: SignalHost,
  delay: number,
  options: unknown,
): TimeoutSignal {
  checkDelay(delay)
  const unref = checkSignalOptions(options)
  const controller = _openController()
  const signal = controller.signal as TimeoutSignal & Timed
  signal[methods] = {
    clear: () => deadline._clear(),
    refresh(next) {
      if (next !== undefined) checkDelay(next)
      deadline._refresh(next)
      return signal as never
    },
  }
  // After the property: on Node 22, an object that gets a property after its prototype has changed is of a kind of its own.
  if (!('clear' in controller.signal)) giveMethods(signal, _prepare)
  // Last, because an interruption of a later call would leave a timer without a signal.
  const deadline = start(
    () => {
      controller.abort(_timeoutError())
      _aborted?.(signal)
    },
    delay,
    signal,
    unref,
  )
  return signal
}
