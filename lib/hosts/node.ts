/** Node, and runtimes that offer its modules. */
import { AsyncResource } from 'node:async_hooks'
import events from 'node:events'
import { setImmediate as promisedImmediate } from 'node:timers/promises'
import type { Host, HostTimer } from '../host.js'

const { setTimeout, clearTimeout, setImmediate, performance } = globalThis
const now = performance.now.bind(performance)

/** Made when the module loads, with nothing in its context. */
const root = new AsyncResource('timeout-wheel')

// Runs next ticks and microtasks, as Node does between two of its own timers. Undocumented, but there since Node 11.
const tickCallback: unknown = Reflect.get(process, '_tickCallback')

/**
 * Node marks its own listeners for an abort with a symbol that it does not publish, and gives the mark to those of
 * `events.addAbortListener`: here, on something that has nothing to abort. Older ones than 20.5 lack that function.
 */
function abortListenerOptions(): AddEventListenerOptions {
  const marks: AddEventListenerOptions = {}
  const recorder = {
    aborted: false,
    addEventListener: (_type: string, _listener: unknown, options: object) => {
      for (const symbol of Object.getOwnPropertySymbols(options)) Reflect.set(marks, symbol, true)
    },
    removeEventListener: () => {},
  }
  events.addAbortListener?.(recorder as unknown as AbortSignal, () => {})
  return marks
}

export const nodeHost: Host = {
  now,
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  soon: (callback) => setImmediate(callback) as HostTimer,
  outside: (fn) => root.runInAsyncScope(fn),
  drain: typeof tickCallback === 'function' ? () => tickCallback.call(process) : undefined,
  promisedImmediate,
  abortListenerOptions: abortListenerOptions(),
  AsyncContext: AsyncResource,
  warn: (message, name) => process.emitWarning(message, name),
  warnsOfBadDelay: Number.parseInt(process.versions.node, 10) >= 24,
}
