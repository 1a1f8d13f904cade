/** What the wheel takes from the runtime it lives in. Captured once, when the module loads: test tools replace it later. */
import type { TimersPromises } from '../../api/timers-promises.js'

/** A timer of the host: what keeps a Node process alive, a number in a page. */
export interface HostTimer {
  ref?(): unknown
  unref?(): unknown
  hasRef?(): boolean
}

/** The context a callback runs in, and the handle's base class: Node's AsyncResource. */
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

/** What wakes a wheel at a time. */
export interface Alarm {
  /** Wakes at `due`, on the host's clock, in milliseconds; no longer when it was to before. */
  set(due: number): void
  /** Whether it keeps the program alive while it is set. */
  hold(isHeld: boolean): void
  /** What Node's `process.getActiveResourcesInfo()` counts of it. */
  resources(): string[]
  /** To be called by what it wakes, where the host has called that itself. */
  fired?(): void
  /** Wakes no longer. */
  close(): void
}

export interface Host {
  /** Milliseconds on the monotonic clock. */
  now(): number
  setTimeout(callback: () => void, delay: number): HostTimer
  clearTimeout(timer: HostTimer): void
  /** Runs the callback once the event loop has looked at other work. */
  soon(callback: () => void): HostTimer
  /** Whether async hooks, or what is made of them, look at what is made. */
  hasAsyncHooks(): boolean
  /** Whether anything keeps the program alive beside so many turns to come, which do. */
  isAliveBut(turns: number): boolean
  /** Runs `fn` in the context that the module was loaded in, so that no caller's context is kept by a shared timer. */
  outside(fn: () => HostTimer): HostTimer
  /** Runs what is due between two callbacks: next ticks, then microtasks. Undefined: the host has no such call. */
  readonly drain: (() => void) | undefined
  /** `setImmediate` of the host's own `timers/promises`. */
  readonly promisedImmediate: TimersPromises['setImmediate']
  /** For a listener that hears of an abort even where another one before it has stopped the event. */
  abortListenerOptions(): AddEventListenerOptions
  /** Throws what a signal has thrown that was not to be listened to, where the host's own promises do not reject with it. */
  refusedToListen(error: unknown): void
  /** What carries the async context of a handle. */
  readonly AsyncContext: AsyncContextConstructor
  /** The property of an `AsyncContext` that holds the stores, where this host lets go of them once a timer is over. */
  readonly storesKey: symbol | undefined
  /** The property by which async hooks mark the promises that they follow. Undefined: the host does not say. */
  readonly asyncIdKey: symbol | undefined
  /** What stands in the place of a cleared handle's callback. */
  readonly clearedCallback: null | undefined
  /** How many parameters the host's own `setTimeout` says it has. */
  readonly setTimeoutLength: number
  /** Clears a timer of the host by whatever it takes. What it does not know is passed over. */
  clearForeign(timeout: unknown): void
  /** The error for a callback that is no function. */
  invalidCallback(callback: unknown): Error
  /** Whether somebody handles what callbacks throw, so that it is to be reported where it is thrown. */
  reportsErrors(): boolean
  /** Hands on what a callback threw. False: nobody handles it. */
  report(error: unknown): boolean
  warn(message: string, name: string): void
  /** Whether this host warns of a delay that is negative or not a number (Node 24 and later). */
  readonly warnsOfBadDelay: boolean
}
