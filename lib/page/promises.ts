/** The functions of Node's `timers/promises`, on the shared wheel of a page or on another. */
import type { TimerOptions, TimersPromises } from '../api/timers-promises.js'
import { checkPromised } from '../common/checks.js'
import { aborted } from '../common/errors.js'
import { promisedIntervalOn } from '../common/promised-interval.js'
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
  checkPromised(delay, options)
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

  return {
    setTimeout,
    setImmediate,
    setInterval: promisedIntervalOn(
      checkPromised,
      (callback, delay) => new Timeout(open(), callback, delay, REPEATS),
      aborted,
      aborts,
    ),
    scheduler: {
      wait: (delay, options) => setTimeout(delay, undefined, options),
      yield: () => setImmediate(),
    },
  }
}
