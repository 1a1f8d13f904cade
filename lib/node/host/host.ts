/** The functions that a wheel uses from its runtime, captured when the module loads: test tools replace them later. */
import type { TimersPromises } from '../../api/timers-promises.js'

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

/** Wakes a wheel at a given time. */
export interface Alarm {
  /** Sets the time of the alarm to `due`, in milliseconds on the host's clock, instead of any former time. */
  set(due: number): void
  /** Sets whether a pending alarm keeps the program alive. */
  hold(isHeld: boolean): void
  /** The entries of the alarm in Node's `process.getActiveResourcesInfo()`. */
  resources(): string[]
  /** Called first by the woken function, which the host calls directly. Returns whether the alarm is due. */
  fired(): boolean
  /** Called last by the woken function, if the alarm was due. */
  ended?(): void
  /** Ends the alarm. */
  close(): void
}

/** Opens an alarm that calls `wake`. */
export type OpenAlarm = (wake: () => void) => Alarm

export interface Host {
  /** Milliseconds on the monotonic clock. */
  now(): number
  setTimeout(callback: () => void, delay: number): HostTimer
  /** Ignores values that name no timer of the host. */
  clearTimeout(timer: unknown): void
  /** Runs the callback after the event loop has polled other work. */
  soon(callback: () => void): HostTimer
  /**
   * The number of the present turn of the event loop. Undefined if a timer without a delay never runs in the phase of timers
   * in which it is set.
   */
  readonly turn: (() => number) | undefined
  /** Whether async hooks, or tools based on them, observe new resources. */
  hasAsyncHooks(): boolean
  /** Whether anything besides `turns` coming turns keeps the program alive. */
  isAliveBut(turns: number): boolean
  /** Runs `fn` in the context in which the module was loaded, so that a shared timer keeps no caller's context. */
  outside(fn: () => HostTimer): HostTimer
  /** Runs next ticks and then microtasks, as between two callbacks. Undefined: the host has no such function. */
  readonly drain: (() => void) | undefined
  /** Reports an error that `drain` has thrown. If nothing takes it, throws it or ends the program. */
  reportTick(error: unknown): void
  /**
   * Whether `reportTick` gets errors also if the program handles none. Otherwise these pass to Node without a `catch`, and Node prints the
   * line that threw them.
   */
  readonly catchesTicks: boolean
  /** `setImmediate` of the host's own `timers/promises`. */
  readonly promisedImmediate: TimersPromises['setImmediate']
  /** Options of a listener that is called on an abort even if an earlier listener has stopped the event. */
  abortListenerOptions(): AddEventListenerOptions
  /**
   * Called with the error of a signal's `addEventListener`. Node 20 rejects the promise with such an error; later versions
   * throw it. Throws in the second case, returns in the first.
   */
  refusedToListen(error: unknown): void
  /** The class that carries the async context of a handle. */
  readonly AsyncContext: AsyncContextConstructor
  /** The property of an `AsyncContext` that holds the stores, if this host drops them when a timer is over. */
  readonly storesKey: symbol | undefined
  /** Whether this host reads the stores of a running callback from that property. */
  readonly hasStoresInHandles: boolean
  /** The property with which async hooks mark the promises that they follow; undefined if the host does not tell. */
  readonly asyncIdKey: symbol | undefined
  /** The `_onTimeout` of a cleared handle. */
  readonly clearedCallback: null | undefined
  /** The `length` of the host's own `setTimeout`. */
  readonly setTimeoutLength: number
  /** The message of the host's own `TimeoutError`. */
  readonly timeoutMessage: string
  /** The line of Node, whose modules the host offers. */
  readonly major: number
  /** The error of an operation that a signal has aborted. */
  abortError(signal: AbortSignal): Error
  /** The error for a callback that is not a function. */
  invalidCallback(callback: unknown): Error
  /** The process whose listeners Node calls. In a realm, the global `process` can be a copy. */
  mainProcess(): NodeJS.Process
  /** Whether the program has a handler of uncaught errors. */
  hasHandler(): boolean
  /** Whether a handler, a monitor, the REPL or a domain takes errors. Then an error is reported by the call that has thrown it. */
  reportsErrors(): boolean
  /** Reports an error of a callback, below which only Node is on the stack. Returns false if nothing handles it. */
  report(error: unknown): boolean
  warn(message: string, name: string): void
  /** Whether this host warns of a delay that is negative or not a number (Node 24 and later). */
  readonly warnsOfBadDelay: boolean
}
