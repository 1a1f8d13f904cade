/**
 * Signals of Node 20 at a fifth of their price, as objects of the same kind.
 *
 * An AbortController of Node 20 makes an EventTarget and then changes its prototype. For V8 each signal is then of a kind of its
 * own: it takes 2.5 µs to make, and 1 µs for each property that is added to it. Here the constructor gives the EventTarget the right
 * prototype from the start. The properties that make it a signal, and the method that aborts it, are behind symbols of Node. That line
 * of Node no longer changes; {@link fastControllers} tries all of this once, and else leaves the program with AbortControllers.
 */
import type { Controller } from '../../common/timeout-signal.js'

type Keyed = Record<symbol, unknown>

/** A port of a message channel, for the method that receives a signal from another thread: it aborts the signal on a message. */
interface Port {
  onmessage?: (message: { data: unknown }) => void
  unref(): void
  close(): void
}

const symbolOf = (object: object, description: string): symbol | undefined =>
  Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === description)

function controllersWith(aborted: symbol, reason: symbol, composite: symbol, receive: symbol) {
  // The present ones, because test tools replace globals.
  const { AbortSignal, EventTarget } = globalThis
  return (): Controller => {
    const signal = Reflect.construct(EventTarget, [], AbortSignal) as AbortSignal & Keyed
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
      },
    }
  }
}

/** Whether such controllers do what those of Node do. */
function isTrue(open: () => Controller): boolean {
  const [native, { signal, abort }] = [new AbortController().signal, open()]
  const keys = (object: object) => Reflect.ownKeys(object).map(String).join()
  if (signal.aborted || !(signal instanceof AbortSignal) || keys(signal) !== keys(native)) return false
  let isTrusted = false
  signal.addEventListener('abort', (event) => {
    isTrusted = event.isTrusted
  })
  const follower = AbortSignal.any([signal])
  abort(open)
  return isTrusted && signal.aborted && signal.reason === open && follower.reason === open
}

/** Returns a function that makes such controllers; undefined if they cannot be made. */
export function fastControllers(): (() => Controller) | undefined {
  try {
    const { signal } = new AbortController()
    const [aborted, reason, composite] = ['kAborted', 'kReason', 'kComposite'].map((name) =>
      symbolOf(signal, name),
    )
    const receive = symbolOf(AbortSignal.prototype, 'messaging_deserialize_symbol')
    if (!aborted || !reason || !composite || !receive) return undefined
    const open = controllersWith(aborted, reason, composite, receive)
    return isTrue(open) ? open : undefined
  } catch {
    return undefined
  }
}
