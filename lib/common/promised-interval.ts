/** `setInterval` of `timers/promises`, on the wheels of Node and of pages. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'

/** What the iterators need from their host. */
interface IntervalHost {
  /** Throws if the arguments are invalid, or returns a promise that is rejected. */
  _refusalOf(delay: unknown, options: unknown): Promise<never> | undefined
  /** Runs `callback()` every `delay` milliseconds. */
  _start(callback: () => void, delay: number | undefined, options: TimerOptions): { close(): unknown }
  _abortError(signal: AbortSignal | undefined): unknown
  /** The options of a listener for an abort. */
  _listening?(): AddEventListenerOptions
}

/** @param aborts gets the functions that end the iterations, because the wheel can be cleared */
export function promisedIntervalOn(
  host: IntervalHost,
  aborts?: Set<() => void>,
): TimersPromises['setInterval'] {
  return async function* setInterval<T = void>(
    delay?: number,
    value?: T,
    options: TimerOptions = {},
  ): AsyncGenerator<T, undefined, unknown> {
    const refusal = host._refusalOf(delay, options)
    if (refusal) await refusal
    const { signal } = options
    if (signal?.aborted) throw host._abortError(signal)
    /** The number of runs that are not yielded yet. While it is 0, the loop below waits. */
    let backlog = 0
    /** Continues the loop. */
    let wake: ((outcome?: Promise<never>) => void) | undefined
    const onRun = () => {
      backlog++
      wake?.()
    }
    const interval = host._start(onRun, delay, options)
    let isAborted = false
    const abort = () => {
      if (!(isAborted || backlog)) wake?.(Promise.reject(host._abortError(signal)))
      isAborted = true
      interval.close()
    }
    aborts?.add(abort)
    try {
      signal?.addEventListener('abort', abort, host._listening?.())
      // Runs from before the abort are yielded first, as in Node.
      while (!isAborted && !signal?.aborted) {
        if (!backlog) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        for (; backlog; backlog--) yield value as T
      }
      throw host._abortError(signal)
    } finally {
      interval.close()
      aborts?.delete(abort)
      signal?.removeEventListener('abort', abort)
    }
  }
}
