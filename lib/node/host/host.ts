/** The types of what a wheel uses from its runtime. */
import type { nodeHost } from './node-host.js'

/** A timer of the host: in Node an object that can keep the process alive, in a page a number. */
export interface HostTimer {
  ref?(): unknown
  unref?(): unknown
  hasRef?(): boolean
}

/** The async context of a callback, and the base class of handles: Node's AsyncResource. */
export interface AsyncContext {
  runInAsyncScope<R>(fn: (...args: unknown[]) => R, thisArg?: unknown, ...args: unknown[]): R
  /** A number that no other resource and no timer of the host has. */
  asyncId(): number
  emitDestroy(): unknown
}
export type AsyncContextConstructor = new (
  type: string,
  options: { requireManualDestroy: boolean },
) => AsyncContext

/** The services of the host that a wheel uses. */
export type Host = typeof nodeHost
