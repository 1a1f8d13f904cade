/** The functions of Node's `timers/promises`, on the shared wheel of a page or on another. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'
import { checkPromisedDelay, checkTimerOptions } from '../common/checks.js'
import { aborted } from '../common/errors.js'
import { stopListening } from '../common/stop-listening.js'
import { ONCE, REPEATS } from './handle-state.js'
import type { PageHost } from './host.js'
import type { TimerScheduler } from './scheduler-types.js'
import { Timeout } from './timeout.js'

/** Functions that reject the pending promises of a wheel. */
export type Aborts = Set<() => void>

/**
 * Returns a promise that `start` resolves, unless the signal is aborted first.
 *
 * @param start returns a function that cancels what it has started, if that is possible
 */
async function settle<T>(
  start: (resolve: (value: T) => void) => (() => void) | undefined,
  options: TimerOptions,
  delay?: number,
  aborts?: Aborts,
): Promise<T> {
  checkPromisedDelay(delay)
  checkTimerOptions(options)
  const { signal } = options
  let abort!: () => void
  try {
    return await new Promise<T>((resolve, reject) => {
      if (signal?.aborted) throw aborted(signal)
      const takeBack = start(resolve)
      abort = () => {
        takeBack?.()
        reject(aborted(signal))
      }
      signal?.addEventListener('abort', abort)
      aborts?.add(abort)
    })
  } finally {
    stopListening(signal, abort)
    aborts?.delete(abort)
  }
}

/** @param aborts gets the functions that reject the pending promises, because the wheel can be cleared */
export function promisesOn(open: () => TimerScheduler, { _soon }: PageHost, aborts?: Aborts): TimersPromises {
  function setTimeout<T = void>(delay?: number, value?: T, options: TimerOptions = {}): Promise<T> {
    return settle(
      (resolve) => {
        const timeout = new Timeout(open(), resolve, delay, ONCE, [value])
        return () => timeout.close()
      },
      options,
      delay,
      aborts,
    )
  }

  function setImmediate<T = void>(value?: T, options: TimerOptions = {}): Promise<T> {
    return settle((resolve) => _soon(() => resolve(value as T)) as undefined, options)
  }

  async function* setInterval<T = void>(
    delay?: number,
    value?: T,
    options: TimerOptions = {},
  ): AsyncGenerator<T, undefined, unknown> {
    checkPromisedDelay(delay)
    checkTimerOptions(options)
    const { signal } = options
    /** The number of runs that are not yielded yet. */
    let backlog = 0
    /** Continues the loop below, which waits for a run. */
    let wake = (): void => {}
    const interval = new Timeout(
      open(),
      () => {
        backlog++
        wake()
      },
      delay,
      REPEATS,
    )
    let isAborted = signal?.aborted
    const abort = () => {
      isAborted = true
      interval.close()
      wake()
    }
    aborts?.add(abort)
    try {
      signal?.addEventListener('abort', abort)
      // Runs from before the abort are yielded first, as in Node.
      while (!isAborted) {
        if (!backlog) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        for (; backlog; backlog--) yield value as T
      }
      throw aborted(signal)
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
