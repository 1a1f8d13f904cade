/** The functions of Node's `timers/promises`, on a wheel. */
import type { Host } from './host.js'
import {
  AbortError,
  checkPromisedDelay,
  checkTimerOptions,
  illegalConstructor,
  invalidThis,
} from './node_errors.js'
import type { Timeout } from './timeout.js'

/** What is needed of a signal. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** `AbortSignal`, of whichever runtime's types a program is compiled with; where there is none, what is needed of it. */
type Signal = typeof globalThis extends { AbortSignal: { prototype: infer S } } ? S : AbortSignalLike

/** What the promises take besides the delay and the value. */
export interface TimerOptions {
  /** Ends the wait: the promise is rejected with an `AbortError`, whose `cause` is the signal's reason. */
  signal?: Signal | undefined
  /** Whether it keeps the process alive. Default: true. */
  ref?: boolean | undefined
}

/** The values of an interval. */
export interface IntervalIterator<T> extends AsyncIteratorObject<T, undefined, unknown> {
  [Symbol.asyncIterator](): IntervalIterator<T>
}

/** The waits of the web's scheduling proposal that Node has. */
export interface Scheduler {
  /** The same as `setTimeout(delay, undefined, options)`. */
  wait(delay: number, options?: TimerOptions): Promise<void>
  /** The same as `setImmediate()`. */
  yield(): Promise<void>
}

/** The functions of `timers/promises`. */
export interface TimersPromises {
  /**
   * Fulfils with `value` after `delay`. O(1).
   *
   * @param delay milliseconds; below 1, above 2^31 - 1 or NaN: 1, with Node's warnings
   * @returns a promise, rejected with an `AbortError` (code `ABORT_ERR`) once the signal is aborted, or with a TypeError
   *   (code `ERR_INVALID_ARG_TYPE`) where `delay` is no number or an option is of the wrong type
   */
  setTimeout<T = void>(delay?: number, value?: T, options?: TimerOptions): Promise<T>
  /** Fulfils with `value` once the event loop has looked at other work. Rejected as `setTimeout` is. */
  setImmediate<T = void>(value?: T, options?: TimerOptions): Promise<T>
  /**
   * Yields `value` every `delay` milliseconds, from the first call of `next()` until `return()`; what came due while
   * nobody asked is yielded afterwards. It rejects as `setTimeout` does, when it is first asked for a value.
   */
  setInterval<T = void>(delay?: number, value?: T, options?: TimerOptions): IntervalIterator<T>
  /** The waits of the web's scheduling proposal that Node has. */
  scheduler: Scheduler
}

/** Sets a timer of the shared wheel that runs `callback(value)` once. */
export type StartTimeout = (
  callback: (value: never) => void,
  delay: number | undefined,
  value: unknown,
) => Timeout
/** Sets a timer of the shared wheel that runs `callback()` every `delay` milliseconds. */
export type StartInterval = (callback: () => void, delay: number | undefined) => Timeout

const NO_OPTIONS: TimerOptions = Object.freeze({})

interface Settling<T> {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
}

function settling<T>(): Settling<T> {
  const parts = {} as Settling<T>
  parts.promise = new Promise<T>((resolve, reject) => {
    parts.resolve = resolve
    parts.reject = reject
  })
  return parts
}

/** The promise, which `abort` rejects when the signal is aborted, and which listens no longer once it has settled. */
function listening<T>(settled: Settling<T>, signal: AbortSignal, abort: () => void, host: Host): Promise<T> {
  try {
    signal.addEventListener('abort', abort, host.abortListenerOptions())
  } catch (error) {
    host.refusedToListen(error)
    settled.reject(error)
  }
  const stop = () => signal.removeEventListener('abort', abort)
  // With the steps that do nothing it settles after as many microtasks as Node's does.
  return settled.promise.then().finally(stop).then()
}

export function promisesOn(
  host: Host,
  startTimeout: StartTimeout,
  startInterval: StartInterval,
): TimersPromises {
  function setTimeout<T = void>(delay?: number, value?: T, options: TimerOptions = NO_OPTIONS): Promise<T> {
    try {
      checkPromisedDelay(delay)
      checkTimerOptions(options)
    } catch (error) {
      return Promise.reject(error)
    }
    const { signal, ref = true } = options
    if (signal?.aborted) return Promise.reject(new AbortError(signal))
    const settled = settling<T>()
    const timeout = startTimeout(settled.resolve, delay, value)
    if (!ref) timeout.unref()
    if (signal === undefined) return settled.promise
    const abort = () => {
      timeout.close()
      settled.reject(new AbortError(signal))
    }
    return listening(settled, signal, abort, host)
  }

  async function* setInterval<T = void>(
    delay?: number,
    value?: T,
    options: TimerOptions = NO_OPTIONS,
  ): AsyncGenerator<T, undefined, unknown> {
    checkPromisedDelay(delay)
    checkTimerOptions(options)
    const { signal, ref = true } = options
    if (signal?.aborted) throw new AbortError(signal)
    /** How many runs have not been handed on. */
    let backlog = 0
    /** Goes on with the loop below, which waits for a run. */
    let wake: ((outcome?: Promise<never>) => void) | undefined
    const goOn = (outcome?: Promise<never>) => {
      wake?.(outcome)
      wake = undefined
    }
    const interval = startInterval(() => {
      backlog++
      goOn()
    }, delay)
    const abort = () => {
      interval.close()
      if (wake !== undefined) goOn(Promise.reject(new AbortError(signal!)))
    }
    try {
      if (!ref) interval.unref()
      signal?.addEventListener('abort', abort, { ...host.abortListenerOptions(), once: true })
      // What came due before the signal was aborted is handed on first, as in Node.
      while (!signal?.aborted) {
        if (backlog === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        for (; backlog > 0; backlog--) yield value as T
      }
      throw new AbortError(signal)
    } finally {
      interval.close()
      signal?.removeEventListener('abort', abort)
    }
  }

  const setImmediate = host.promisedImmediate
  return { setTimeout, setImmediate, setInterval, scheduler: schedulerOf(setTimeout, setImmediate) }
}

/** Marks the one scheduler, as Node marks its own. */
const kScheduler: unique symbol = Symbol('kScheduler')

function schedulerOf(
  setTimeout: TimersPromises['setTimeout'],
  setImmediate: TimersPromises['setImmediate'],
): Scheduler {
  class Scheduler {
    declare readonly [kScheduler]: true

    constructor() {
      throw illegalConstructor()
    }

    yield(): Promise<void> {
      if (!this[kScheduler]) throw invalidThis('Scheduler')
      return setImmediate()
    }

    wait(delay: number, options?: TimerOptions): Promise<void> {
      if (!this[kScheduler]) throw invalidThis('Scheduler')
      return setTimeout(delay, undefined, options)
    }
  }
  return Object.assign(Object.create(Scheduler.prototype) as Scheduler, { [kScheduler]: true as const })
}
