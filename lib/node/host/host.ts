/** The types of what a wheel uses from its runtime. */
import type { nodeHost } from './node-host.js'

/** A timer of the host: in Node an object that can keep the process alive, in a page a number. */
export interface HostTimer {
  ref?(): unknown
  unref?(): unknown
  hasRef?(): boolean
}

/** Whether a timer made by `outside` of a host keeps the program alive. */
export const isReferenced = (timer: HostTimer | undefined): boolean =>
  // Not its own `hasRef`, which is for async hooks.
  timer !== undefined && (Object.getPrototypeOf(timer) as HostTimer).hasRef?.call(timer) === true

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

/** The services of the host that a wheel uses. */
export type Host = typeof nodeHost
