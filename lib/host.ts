/** What the wheel takes from the runtime it lives in. Captured once, when the module loads: test tools replace it later. */
import type { TimersPromises } from './timers_promises.js'

/** A timer of the host: what keeps a Node process alive, a number in a page. */
export interface HostTimer {
  ref?(): unknown
  unref?(): unknown
}

/** The context a callback runs in, and the handle's base class: Node's AsyncResource. */
export interface AsyncContext {
  runInAsyncScope<R>(fn: (...args: unknown[]) => R, thisArg?: unknown, ...args: unknown[]): R
  emitDestroy(): unknown
}
export type AsyncContextConstructor = new (
  type: string,
  options: { requireManualDestroy: boolean },
) => AsyncContext

export interface Host {
  /** Milliseconds on the monotonic clock. */
  now(): number
  setTimeout(callback: () => void, delay: number): HostTimer
  clearTimeout(timer: HostTimer): void
  /** Runs the callback once the event loop has looked at other work. */
  soon(callback: () => void): HostTimer
  /** Runs `fn` in the context that the module was loaded in, so that no caller's context is kept by a shared timer. */
  outside(fn: () => HostTimer): HostTimer
  /** Runs what is due between two callbacks: next ticks, then microtasks. Undefined: the host has no such call. */
  readonly drain: (() => void) | undefined
  /** `setImmediate` of the host's own `timers/promises`. Undefined: it has none. */
  readonly promisedImmediate: TimersPromises['setImmediate'] | undefined
  /** For a listener that hears of an abort even where another one before it has stopped the event. */
  readonly abortListenerOptions: AddEventListenerOptions
  /** Undefined: the host has no async context to carry. */
  readonly AsyncContext: AsyncContextConstructor | undefined
  warn(message: string, name: string): void
  /** Whether this host warns of a delay that is negative or not a number (Node 24 and later). */
  readonly warnsOfBadDelay: boolean
}
