/** `setInterval` of `timers/promises`, on the wheels of Node and of pages. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'

/** What the iterators need from their host. */
interface IntervalHost {
  /** Checks the arguments. */
  _check(delay: unknown, options: unknown): void
  /** Runs `callback()` every `delay` milliseconds. @param ref the option */
  _start(callback: () => void, delay: number | undefined, ref: boolean | undefined): { close(): unknown }
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
    host._check(delay, options)
    const { signal, ref } = options
    if (signal?.aborted) throw host._abortError(signal)
    /** The number of runs that are not yielded yet. */
    let backlog = 0
    /** Continues the loop below, which waits for a run. */
    let wake: ((outcome?: Promise<never>) => void) | undefined
    const goOn = (outcome?: Promise<never>) => {
      wake?.(outcome)
      wake = undefined
    }
    const onRun = () => {
      backlog++
      goOn()
    }
    const interval = host._start(onRun, delay, ref)
    let isAborted = false
    const abort = () => {
      isAborted = true
      interval.close()
      if (wake) goOn(Promise.reject(host._abortError(signal)))
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
