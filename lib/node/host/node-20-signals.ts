/**
 * Signals of Node 20 to 24 that have the prototype of signals with a timer from the start.
 *
 * To change the prototype of a signal takes 0.1 µs on Node 22, and 0.3 µs on Node 24: twice as much as all the rest. An AbortController
 * of Node 20 does it itself. For V8 each signal is then of a kind of its own: it takes 2.5 µs to make, and 1 µs for each property that
 * is added to it. Here the constructor gives the EventTarget the right prototype. The properties that make it a signal, and the method
 * that aborts it, are behind symbols of Node. {@link fastControllers} tries all of this once, and else leaves the program with
 * AbortControllers. It does so on Node 26, whose signals have a private field.
 */
import type { Controller } from '../../common/timeout-signal.js'
import { symbolOf } from './symbol-of.js'

type Keyed = Record<symbol, unknown>

/** A port of a message channel, for the method that receives a signal from another thread: it aborts the signal on a message. */
interface Port {
  onmessage?: (message: { data: unknown }) => void
  unref(): void
  close(): void
}

/** The keys of a signal, with the values that are no objects. */
const stateOf = (signal: object): string =>
  Reflect.ownKeys(signal)
    .map((key) => {
      const value: unknown = Reflect.get(signal, key)
      return `${String(key)}: ${typeof value === 'object' ? 'an object' : String(value)}`
    })
    .join()

/** Whether such controllers do what those of Node do. */
function isTrue(open: () => Controller): boolean {
  const [native, { signal, abort }] = [new AbortController().signal, open()]
  if (signal.aborted || !(signal instanceof AbortSignal) || stateOf(signal) !== stateOf(native)) return false
  let isTrusted = false
  signal.addEventListener('abort', (event) => {
    isTrusted = event.isTrusted
  })
  const follower = AbortSignal.any([signal])
  abort(open)
  return isTrusted && signal.aborted && signal.reason === open && follower.reason === open
}

/**
 * Returns a function that makes such controllers; undefined if they cannot be made.
 *
 * @param prototype the prototype of their signals
 * @param ended called after the abort of a signal
 */
export function fastControllers(
  prototype: object = AbortSignal.prototype,
  ended?: (signal: AbortSignal) => void,
): (() => Controller) | undefined {
  try {
    const native = new AbortController().signal as AbortSignal & Keyed
    const aborted = symbolOf(native, 'kAborted')
    const reason = symbolOf(native, 'kReason')
    const composite = symbolOf(native, 'kComposite')
    const listeners = symbolOf(native, 'events.maxEventTargetListeners')
    const receive = symbolOf(AbortSignal.prototype, 'messaging_deserialize_symbol')
    if (!aborted || !reason || !composite || !listeners || !receive) return undefined
    // The present one, because test tools replace globals.
    const { EventTarget } = globalThis
    /** The number of listeners from which Node warns of a leak. */
    const warnsFrom = native[listeners]
    // A class that extends it, because V8 on Node 20 makes a kind for each object of other constructors.
    class Signal extends EventTarget {}
    Reflect.deleteProperty(Signal.prototype, 'constructor')
    Object.setPrototypeOf(Signal.prototype, prototype)
    const open = (): Controller => {
      const signal = Reflect.construct(EventTarget, [], Signal) as AbortSignal & Keyed
      signal[listeners] = warnsFrom
      signal[aborted] = false
      signal[reason] = undefined
      signal[composite] = false
      return {
        signal,
        abort(data) {
          const port: Port = { unref() {}, close() {} }
          const connect = signal[receive] as (message: { aborted: boolean; port: Port }) => void
          connect.call(signal, { aborted: false, port })
          port.onmessage!({ data })
          ended?.(signal)
        },
      }
    }
    return isTrue(open) ? open : undefined
  } catch {
    return undefined
  }
}
