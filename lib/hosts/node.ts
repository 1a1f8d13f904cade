/** Node, and runtimes that offer its modules. */
import { AsyncResource } from 'node:async_hooks'
import type { Host, HostTimer } from '../host.js'

const { setTimeout, clearTimeout, setImmediate, performance } = globalThis
const now = performance.now.bind(performance)

/** Made when the module loads, with nothing in its context. */
const root = new AsyncResource('timeout-wheel')

// Runs next ticks and microtasks, as Node does between two of its own timers. Undocumented, but there since Node 11.
const tickCallback: unknown = Reflect.get(process, '_tickCallback')

export const nodeHost: Host = {
  now,
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  soon: (callback) => setImmediate(callback) as HostTimer,
  outside: (fn) => root.runInAsyncScope(fn),
  drain: typeof tickCallback === 'function' ? () => tickCallback.call(process) : undefined,
  AsyncContext: AsyncResource,
  warn: (message, name) => process.emitWarning(message, name),
  warnsOfBadDelay: Number.parseInt(process.versions.node, 10) >= 24,
}
