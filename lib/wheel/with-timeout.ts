/**
 * Promises with a time limit.
 *
 * **No leak at a promise that outlives its waits.** A promise keeps every reaction until it is settled. Suppose that a program
 * waits for the same promise again and again, for example for a request to stop. Without a remedy, the promise would keep a
 * reaction of each wait that timed out. So a wait that times out leaves its reaction to the next wait for the same promise,
 * which uses it instead of adding another. Waits that begin before the first has timed out add one each: an entry of a map
 * for each wait would prevent it, but costs almost as much as the wait itself.
 */
import type { WithTimeout } from '../api/signal.js'
import { checkDelay, checkWithTimeoutOptions } from '../common/checks.js'
import { aborted, invalidType, timedOut } from '../common/errors.js'
import { stopListening } from '../common/promises.js'
import type { Countdown, StartCountdown } from './timeout-signal.js'

type Settle = (outcome: unknown) => void

/** One call of `withTimeout` whose promise is pending. */
interface Wait {
  readonly _resolve: Settle
  readonly _reject: Settle
  /** Ends the timer, and the listener on the signal. */
  _end(): void
}

/** A reaction of a promise, and the waits that it serves: none after it has run. */
interface Reaction {
  _waits?: Set<Wait> | undefined
}

/**
 * @param start starts the timer of a wait
 * @param then captured, because `await` does not call what the program has put there either
 */
export function withTimeoutOn(start: StartCountdown, then = Promise.prototype.then): WithTimeout {
  /** The reactions that waits have left to later ones, by promise. */
  const left = new WeakMap<Promise<unknown>, Reaction>()

  /** Lets a wait share the reaction that another has left, or gives it a new one. */
  function join(promise: Promise<unknown>, wait: Wait): Reaction {
    const former = left.get(promise)
    if (former?._waits) {
      former._waits.add(wait)
      return former
    }
    const reaction: Reaction = { _waits: new Set([wait]) }
    const settle = (pass: (wait: Wait, outcome: unknown) => void): Settle => {
      return (outcome) => {
        const waits = reaction._waits!
        reaction._waits = undefined
        for (const wait of waits) {
          pass(wait, outcome)
          wait._end()
        }
      }
    }
    const resolve = settle((wait, value) => wait._resolve(value))
    const reject = settle((wait, error) => wait._reject(error))
    Reflect.apply(then, promise, [resolve, reject])
    return reaction
  }

  /** Begins a wait. An error of the signal, or of a wheel that takes no more timers, rejects the promise. */
  function begin(
    promise: Promise<unknown>,
    delay: number,
    { signal, unref }: ReturnType<typeof checkWithTimeoutOptions>,
    _resolve: Settle,
    _reject: Settle,
  ): void {
    let countdown: Countdown | undefined
    const abort = (): void => giveUp(aborted(signal))
    const wait: Wait = {
      _resolve,
      _reject,
      _end() {
        countdown?._clear()
        stopListening(signal, abort)
      },
    }
    const reaction = join(promise, wait)
    const giveUp = (error: unknown): void => {
      _reject(error)
      reaction._waits?.delete(wait)
      left.set(promise, reaction)
      wait._end()
    }
    try {
      countdown = start(() => giveUp(timedOut(delay)), delay, undefined, unref)
      signal?.addEventListener('abort', abort)
      // The value can have aborted the signal when its `then` was read.
      if (signal?.aborted) abort()
    } catch (error) {
      giveUp(error)
    }
  }

  /** Handles a rejection, if the value is a promise. Calls no method of the value: that could start the work behind it. */
  function ignoreRejection(promise: unknown): void {
    try {
      Reflect.apply(then, promise, [undefined, () => {}])
    } catch {
      // It is not a promise.
    }
  }

  return function withTimeout<T>(promise: T, delay: number, options?: unknown): Promise<Awaited<T>> {
    try {
      // Knex and others have functions that are promises, too.
      if (typeof promise === 'function' && !('then' in promise))
        throw invalidType('promise', 'a promise, not a function that returns one', promise)
      checkDelay(delay)
      const checked = checkWithTimeoutOptions(options)
      const { signal } = checked
      if (signal?.aborted) throw aborted(signal)
      const awaited = Promise.resolve(promise)
      return new Promise((resolve, reject) => begin(awaited, delay, checked, resolve as Settle, reject))
    } catch (error) {
      ignoreRejection(promise)
      return Promise.reject(error)
    }
  }
}
