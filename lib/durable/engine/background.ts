/** Work that no caller waits for. Its errors are reported. */

import { callOutside, outside } from '../common/context.js'
import { errorOf } from '../common/errors.js'
import { queueMicrotask } from '../common/time.js'
import type { DurableErrorSource } from '../common/types.js'
import type { Clock } from './clock.js'

export type OnError = (error: Error, source: DurableErrorSource) => void

/** Between two tries of a statement, in milliseconds. */
const FIRST_WAIT = 100
const LONGEST_WAIT = 5_000

/** The wait before the next try, after a wait. */
export const longerWait = (wait: number): number =>
  wait === 0 ? FIRST_WAIT : Math.min(wait * 2, LONGEST_WAIT)

export class Background {
  isEnded = false
  readonly #clock: Clock
  readonly #onError: OnError
  /** A statement for many callers rejects all their promises with one error. */
  readonly #reported = new WeakSet<Error>()

  constructor(clock: Clock, onError: OnError) {
    this.#clock = clock
    this.#onError = onError
  }

  /** Reports an error once. @param source the timer whose attempt has failed */
  report(thrown: unknown, source: DurableErrorSource = {}): void {
    const error = errorOf(thrown)
    if (this.isEnded || this.#reported.has(error)) return
    this.#reported.add(error)
    try {
      callOutside((one) => this.#onError(one, source), error)
    } catch (second) {
      // An error of the program, which nothing here depends on.
      queueMicrotask(() => {
        throw second
      })
    }
  }

  run(work: () => Promise<void>): void {
    outside(work).catch((thrown) => this.report(thrown))
  }

  every(ms: number, work: () => Promise<void>): void {
    this.#clock.after(ms, () => {
      if (this.isEnded) return
      this.run(() => work().finally(() => this.every(ms, work)))
    })
  }

  /** Tries again after growing waits, until it succeeds or the store is closed. */
  async persist(work: () => Promise<void>): Promise<void> {
    for (let wait = longerWait(0); !this.isEnded; wait = longerWait(wait)) {
      try {
        return await work()
      } catch (thrown) {
        this.report(thrown)
      }
      await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
    }
  }
}
