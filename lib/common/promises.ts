/** The functions of Node's `timers/promises`, on the timers of any host. */
import type { PageTimeout } from '../api/timeout.js'
import type { PromisedImmediate, TimerOptions, TimersPromises } from '../api/timers-promises.js'
import { checkPromised } from './checks.js'
import { aborted } from './errors.js'

/** Functions that end the pending promises of a wheel, because the wheel can be cleared. */
export type Aborts = Set<() => void>

/** The property of `setTimeout` on Node with its promises. */
export const PROMISES: unique symbol = Symbol.for('timeout-wheel.promises') as never

/** Returns the promises of `setTimeout` on Node: one object, in whichever copy of this code. */
export const promisesOf = (setTimeout: unknown): TimersPromises =>
  (setTimeout as { [PROMISES]: TimersPromises })[PROMISES]

type Resolve = (value: unknown) => void

/** A wheel of the program, or the functions of the shared wheel. */
export interface PromisedTimers {
  setTimeout(callback: Resolve, delay?: number, value?: unknown): PageTimeout
  setInterval(callback: Resolve, delay?: number): PageTimeout
}

/** Sets whether a timer keeps the process alive. @param ref undefined: as the wheel says */
function hold(timer: PageTimeout, ref: boolean | undefined): PageTimeout {
  if (ref === undefined) return timer
  return ref ? timer.ref() : timer.unref()
}

/**
 * Returns a promise that `start` resolves, unless the signal or the wheel ends the wait first.
 *
 * @param start returns the timer, if it can be closed
 */
function settle<T>(
  start: (resolve: Resolve, ref?: boolean) => PageTimeout | undefined,
  options: TimerOptions = {},
  delay?: number,
  aborts?: Aborts,
): Promise<T> {
  // An error rejects the promise.
  return new Promise<unknown>((resolve, reject) => {
    checkPromised(delay, options)
    const { signal, ref } = options
    if (signal?.aborted) throw aborted(signal)
    if (!(signal || aborts)) return void start(resolve, ref)
    const end = (): void => {
      stopListening(signal, abort)
      aborts?.delete(abort)
    }
    const timer = start((value) => {
      end()
      resolve(value)
    }, ref)
    function abort(): void {
      timer?.close()
      end()
      reject(aborted(signal))
    }
    aborts?.add(abort)
    signal?.addEventListener('abort', abort)
  }) as Promise<T>
}

/** A host without a `setImmediate` of its own. */
interface Soon {
  /** Runs a callback after other work of the event loop. */
  _soon(callback: () => void): unknown
}

/** Makes `setImmediate` of such a host. */
export const immediateOn = ({ _soon }: Soon): PromisedImmediate =>
  function setImmediate<T = void>(value?: T, options: TimerOptions = {}): Promise<T> {
    return settle((resolve) => void _soon(() => resolve(value)) as undefined, options)
  }

/** @param aborts of a wheel of the program */
export function promisesOn(
  timers: PromisedTimers,
  setImmediate: PromisedImmediate,
  aborts?: Aborts,
): TimersPromises {
  function setTimeout<T = void>(delay?: number, value?: T, options: TimerOptions = {}): Promise<T> {
    return settle(
      (resolve, ref) => hold(timers.setTimeout(resolve, delay, value), ref),
      options,
      delay,
      aborts,
    )
  }

  async function* setInterval<T = void>(
    delay?: number,
    value?: T,
    options: TimerOptions = {},
  ): AsyncGenerator<T, undefined, unknown> {
    checkPromised(delay, options)
    const { signal, ref } = options
    if (signal?.aborted) throw aborted(signal)
    /** The number of runs that are not yielded yet. */
    let runs = 0
    let isOver = false
    /** Continues the loop below; undefined while it does not wait. */
    let wake: (() => void) | undefined
    const next = (): void => {
      wake?.()
      wake = undefined
    }
    const onRun = (): void => {
      runs++
      next()
    }
    const interval = hold(timers.setInterval(onRun, delay), ref)
    const abort = (): void => {
      isOver = true
      interval.close()
      next()
    }
    aborts?.add(abort)
    try {
      signal?.addEventListener('abort', abort)
      for (;;) {
        // Runs from before the abort are yielded first, as in Node.
        for (; runs; runs--) yield value as T
        if (isOver) throw aborted(signal)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    } finally {
      interval.close()
      aborts?.delete(abort)
      stopListening(signal, abort)
    }
  }

  return {
    setTimeout,
    setImmediate,
    setInterval,
    scheduler: {
      wait: (delay, options) => setTimeout(delay, undefined, options),
      yield: () => setImmediate(),
    },
  }
}

/** Removes the listener of a timer that is over. The signal can be an object of the program: its error holds up no other timer. */
export function stopListening(signal: AbortSignal | undefined, abort: () => void): void {
  try {
    signal?.removeEventListener('abort', abort)
  } catch {
    // An abort finds that the timer is over.
  }
}
