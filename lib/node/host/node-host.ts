/** Node, and runtimes that offer its modules. */
import { AsyncResource } from 'node:async_hooks'
import events from 'node:events'
import { setImmediate as promisedImmediate } from 'node:timers/promises'
import type { Immediates } from '../../api/immediate.js'
import { invalidCallback } from '../../common/errors.js'
import { builtin } from './builtin.js'
import type { Host, HostTimer } from './host.js'

const { setTimeout, clearTimeout, setImmediate, clearImmediate } = globalThis
const { uptime } = process
const getActiveResourcesInfo: (() => string[]) | undefined = process.getActiveResourcesInfo

// Node loads the module behind this getter when it is first read: not in programs that only import the package.
const performanceNow = Object.getOwnPropertyDescriptor(globalThis, 'performance')
let clock: (() => number) | undefined

/** Whether it is of a class that has the clock, as the runtime's own. */
function hasOwnClock(performance: unknown): performance is Performance {
  return typeof performance === 'object' && typeof Object.getPrototypeOf(performance)?.now === 'function'
}

/** Node's own; undefined: Node was interrupted while it loaded it, and never loads it again. */
function ownPerformance(): Performance | undefined {
  const given: unknown = performanceNow?.get?.call(globalThis) ?? performanceNow?.value
  if (hasOwnClock(given)) return given
  // A test may have put another object there since this module was loaded, or another function on the object.
  const loaded: unknown = (builtin('node:perf_hooks') as { performance?: unknown }).performance
  return hasOwnClock(loaded) ? loaded : undefined
}

function openClock(): () => number {
  const performance = ownPerformance()
  clock =
    performance === undefined
      ? () => uptime.call(process) * 1_000
      : (Object.getPrototypeOf(performance).now.bind(performance) as () => number)
  return clock
}

function now(): number {
  return (clock ?? openClock())()
}

/** Made when the module loads, with nothing in its context. */
const root = new AsyncResource('timeout-wheel')

function keyOfResources(description: string): symbol | undefined {
  return Object.getOwnPropertySymbols(root).find((key) => key.description === description)
}

/** What `util.deprecate` has wrapped, as it does by a flag of Node's: the wrapper, which warns, inherits from it. */
function undeprecated(fn: unknown): unknown {
  if (typeof fn !== 'function') return fn
  const inner: unknown = Object.getPrototypeOf(fn)
  // A function inherits from one that inherits from none.
  return typeof inner === 'function' && typeof Object.getPrototypeOf(inner) === 'function' ? inner : fn
}

// Runs next ticks and microtasks, as Node does between two of its own timers. Undocumented, but there since Node 11.
const tickCallback: unknown = undeprecated(Reflect.get(process, '_tickCallback'))

/**
 * Node marks its own listeners for an abort with a symbol that it does not publish, and gives the mark to those of
 * `events.addAbortListener`: here, on something that has nothing to abort. Older ones than 20.5 lack that function.
 */
function findAbortListenerOptions(): AddEventListenerOptions {
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

let abortListenerOptions: AddEventListenerOptions | undefined

/** As Node's own does it, which is asked: Node 20 rejects, later ones throw. */
function refusedToListen(error: unknown): void {
  const refusing = {
    aborted: false,
    addEventListener: () => {
      throw error
    },
    removeEventListener: () => {},
  }
  promisedImmediate(undefined, { signal: refusing as unknown as AbortSignal, ref: false }).catch(() => {})
}

const major = Number.parseInt(process.versions.node, 10)

/** Node's own error: its `setTimeout` checks the callback before anything else. */
function nativeInvalidCallback(callback: unknown): Error {
  try {
    setTimeout(callback as () => void)
  } catch (error) {
    return error as Error
  }
  return invalidCallback(callback)
}

// What Node calls for an exception that nothing has caught. True: a handler, or a domain, has taken it.
function report(error: unknown): boolean {
  const fatalException: unknown = Reflect.get(process, '_fatalException')
  if (typeof fatalException !== 'function' || !isHandled()) return false
  try {
    return fatalException.call(process, error) === true
  } catch (thrownByHandler) {
    // Node ends the process by it. Thrown on from here it comes to Node again, which then must not call the handler again.
    const end = () => {
      throw thrownByHandler
    }
    Reflect.set(process, '_fatalException', end)
    throw thrownByHandler
  }
}

function isHandled(): boolean {
  return process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()
}

// A callback may enter one, which then takes what it throws. By the accessor that the module puts there.
function hasDomains(): boolean {
  return Object.getOwnPropertyDescriptor(process, 'domain')?.get !== undefined
}

// A domain is not part of the async context: what is set in one belongs to it.
function withoutDomain(fn: () => HostTimer): HostTimer {
  const domain: unknown = Reflect.get(process, 'domain')
  if (domain === undefined || domain === null) return fn()
  Reflect.set(process, 'domain', null)
  try {
    return fn()
  } finally {
    Reflect.set(process, 'domain', domain)
  }
}

/** An empty type is refused while there are hooks, which would see it. */
function hasAsyncHooks(): boolean {
  try {
    new AsyncResource('', { requireManualDestroy: true })
    return false
  } catch {
    return true
  }
}

/** A runtime that cannot tell is taken for alive. */
function isAliveBut(turns: number): boolean {
  return getActiveResourcesInfo === undefined || getActiveResourcesInfo.call(process).length > turns
}

export const nodeHost: Host = {
  now,
  setTimeout: (callback, delay) => setTimeout(callback, delay),
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  soon: (callback) => setImmediate(callback) as HostTimer,
  hasAsyncHooks,
  isAliveBut,
  outside: (fn) => root.runInAsyncScope(withoutDomain, undefined, fn),
  // Bound: that is no frame of the stack.
  drain: typeof tickCallback === 'function' ? tickCallback.bind(process) : undefined,
  promisedImmediate,
  // When first asked for: Node loads several modules for it.
  abortListenerOptions() {
    abortListenerOptions ??= findAbortListenerOptions()
    return abortListenerOptions
  },
  refusedToListen,
  AsyncContext: AsyncResource,
  storesKey: keyOfResources('context_frame'),
  asyncIdKey: keyOfResources('async_id_symbol'),
  clearedCallback: major >= 24 ? undefined : null,
  setTimeoutLength: setTimeout.length,
  clearForeign: (timeout) => clearTimeout(timeout as NodeJS.Timeout),
  invalidCallback: nativeInvalidCallback,
  reportsErrors: () => isHandled() || hasDomains(),
  report,
  warn: (message, name) => process.emitWarning(message, name),
  warnsOfBadDelay: major >= 24,
}

export const immediates = { setImmediate, clearImmediate } as Immediates
