/** `setInterval` of `timers/promises`, on the wheels of Node and of pages. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'

/**
 * @param check throws if the arguments are invalid
 * @param start runs `callback()` every `delay` milliseconds. `ref` is the option
 * @param aborts gets the functions that end the iterations, because the wheel can be cleared
 */
export function promisedIntervalOn(
  check: (delay: unknown, options: unknown) => void,
  start: (callback: () => void, delay?: number, ref?: boolean) => { close(): unknown },
  abortError: (signal: AbortSignal | undefined) => unknown,
  aborts?: Set<() => void>,
): TimersPromises['setInterval'] {
  return async function* setInterval<T = void>(
    delay?: number,
    value?: T,
    options: TimerOptions = {},
  ): AsyncGenerator<T, undefined, unknown> {
    check(delay, options)
    const { signal, ref } = options
    let isAborted = signal?.aborted
    if (isAborted) throw abortError(signal)
    /** The number of runs that are not yielded yet. When it is 0, the loop below waits. */
    let backlog = 0
    /** Continues the loop; undefined while it does not wait. */
    let wake: ((outcome?: Promise<never>) => void) | undefined
    const onRun = () => {
      backlog++
      wake?.()
      wake = undefined
    }
    const interval = start(onRun, delay, ref)
    const abort = () => {
      if (!isAborted) wake?.(Promise.reject(abortError(signal)))
      isAborted = true
      interval.close()
    }
    aborts?.add(abort)
    try {
      signal?.addEventListener('abort', abort, { once: true })
      // Runs from before the abort are yielded first, as in Node.
      while (!isAborted && !signal?.aborted) {
        if (!backlog) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        for (; backlog; backlog--) yield value as T
      }
      throw abortError(signal)
    } finally {
      isAborted = true
      interval.close()
      aborts?.delete(abort)
      signal?.removeEventListener('abort', abort)
    }
  }
}
