/** The host for Node, and for runtimes that offer Node's modules. */
import { isNodeMock } from '../../common/patch-globals.js'
import { builtin, isNode } from './builtin.js'

const { AsyncResource } = builtin('node:async_hooks') as typeof import('node:async_hooks')
const { setImmediate: promisedImmediate } = builtin(
  'node:timers/promises',
) as typeof import('node:timers/promises')

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

/** A function of a test tool. */
interface Fake {
  /** The clock of sinon, which Jest and Vitest use too. It keeps the host's own functions. */
  readonly clock?: Record<string, unknown>
  /** Set by Jest and Vitest on spies, and on Jest's legacy fake timers. */
  readonly _isMockFunction?: boolean
}

/** Returns the function that the clock of a test tool has replaced. */
const withoutClock = (name: string, fn?: Fake): Fake | undefined =>
  (fn?.clock?.[`_${name}`] as Fake | undefined) ?? fn

/** Returns the host's own function if a test tool has replaced it before. `node:test` hides it: see `nodeHost.isHidden`. */
function ownFunction(name: 'setTimeout' | 'clearTimeout' | 'setImmediate'): unknown {
  const present = withoutClock(name, globalThis[name] as Fake)
  if (present?._isMockFunction !== true) return present
  // Jest and Vitest replace the globals alone.
  return withoutClock(name, (builtin('node:timers') as Record<typeof name, Fake>)[name])
}

const [setTimeout, clearTimeout, setImmediate] = (
  ['setTimeout', 'clearTimeout', 'setImmediate'] as const
).map(ownFunction) as [
  typeof globalThis.setTimeout,
  typeof globalThis.clearTimeout,
  typeof globalThis.setImmediate,
]
// In Node the global is an accessor, so each read of it is a call.
const ownProcess = process
const { uptime, listenerCount, hasUncaughtExceptionCaptureCallback } = ownProcess

// Not `performance`: a reading takes as long, but Node loads eleven modules for it, which takes longer than an import of this package.
const hrtime = withoutClock('hrtime', ownProcess.hrtime as Fake) as NodeJS.HRTime
/** The start of the process, from which `performance.now()` counts too. */
let origin = 0
const now = (): number => {
  const time = hrtime.call(ownProcess)
  return time[0] * 1_000 + time[1] / 1_000_000 - origin
}
origin = now() - uptime.call(ownProcess) * 1_000

/** A resource of the package itself. Tools that look for open handles skip a resource whose `hasRef` returns false. */
class OwnResource extends AsyncResource {
  hasRef(): false {
    return false
  }
}

/** A resource with an empty context, made when the module loads. */
const root = new OwnResource('timeout-wheel')

const hasNoRef = (): false => false

/** Calls a function that makes a timer, in the empty context: the timer is the package's own. */
function ownTimer<A extends unknown[]>(make: (...args: A) => HostTimer, ...args: A): HostTimer {
  const timer = root.runInAsyncScope(make, undefined, ...args)
  // The timers of jsdom are numbers.
  if (typeof timer === 'object') timer.hasRef = hasNoRef
  return timer
}

/** Unwraps a function that a flag of Node has wrapped with `util.deprecate`. The wrapper inherits from the function. */
function undeprecated(fn: unknown): unknown {
  if (typeof fn !== 'function') return fn
  const inner: unknown = Object.getPrototypeOf(fn)
  // An ordinary function inherits from a function that inherits from no function.
  return typeof inner === 'function' && typeof Object.getPrototypeOf(inner) === 'function' ? inner : fn
}

// Runs next ticks and microtasks, as Node does between two of its own timers. Undocumented, but present since Node 11.
const tickCallback: unknown = undeprecated(Reflect.get(ownProcess, '_tickCallback'))
// Bound, because a bound function adds no frame to the stack.
const drain: (() => void) | undefined =
  typeof tickCallback === 'function' ? tickCallback.bind(ownProcess) : undefined

const major = Number.parseInt(ownProcess.versions.node, 10)

/** Whether the program has a handler or a monitor of uncaught errors. */
const handlesErrors = (): boolean =>
  listenerCount.call(ownProcess, 'uncaughtException') > 0 ||
  listenerCount.call(ownProcess, 'uncaughtExceptionMonitor') > 0 ||
  hasUncaughtExceptionCaptureCallback?.call(ownProcess) === true

const nextTick = withoutClock('nextTick', ownProcess.nextTick as Fake) as NodeJS.Process['nextTick']

function rethrow(error: unknown): never {
  throw error
}

/** The functions that a wheel uses from its runtime, captured when the module loads: test tools replace them later. */
export const nodeHost = {
  /** Milliseconds on the monotonic clock. */
  now,
  // A wrapper would be one more function in each wake-up. Deno's refuses to be called as a method: call `outside`.
  setTimeout: setTimeout as (callback: () => void, delay: number) => HostTimer,
  /** Clears a timer by any value that the host's `clearTimeout` takes. Ignores unknown values. */
  clearTimeout: (timer: unknown): void => clearTimeout(timer as NodeJS.Timeout),
  /** Runs the callback after the event loop has polled other work. */
  soon: (callback: () => void): HostTimer =>
    // Deno 2.6 runs immediates only after something else has woken its event loop.
    isNode ? setImmediate(callback) : setTimeout(callback, 0),
  /**
   * Makes a timer in the context in which the module was loaded, so that a shared timer keeps no caller's context. Its `hasRef` returns
   * false, because the program has not made it: tools that list open handles skip it.
   */
  outside: ownTimer,
  /** Runs next ticks and then microtasks, as between two callbacks. Undefined: the host has no such function. */
  drain,
  promisedImmediate,
  /** The class that carries the async context of a handle. */
  AsyncContext: AsyncResource as AsyncContextConstructor,
  /** The `_onTimeout` of a cleared handle. */
  clearedCallback: major >= 24 ? undefined : null,
  /** The `length` of the host's own `setTimeout`. */
  setTimeoutLength: setTimeout.length,
  /** Whether the program handles errors. */
  handlesErrors,
  /**
   * Whether handles catch the errors of callbacks and pass them to `report`, at the start of a slice; undefined: always. WebAssembly
   * catches nothing if the program handles no errors, because Node shows where an error was thrown last.
   */
  catchesErrors: handlesErrors as (() => boolean) | undefined,
  /** Lets Node handle an error of a callback in the present async context: that of the callback. */
  report: (error: unknown): void => nextTick.call(ownProcess, rethrow, error),
  /** Lets Node handle an error that `drain` has thrown. Undefined: the error leaves the slice. */
  reportTick: undefined as ((error: unknown) => void) | undefined,
  warn: (message: string, name: string): void => ownProcess.emitWarning(message, name),
  /** Whether this host prints a warning if a delay is negative or not a number. */
  warnsOfBadDelay: major >= 24,
  /** Whether `mock.timers` of `node:test` was on when the module was loaded. Then the timers of this host move only with it. */
  isHidden: isNodeMock(setTimeout),
}

/** The services of the host that a wheel uses. */
export type Host = typeof nodeHost
