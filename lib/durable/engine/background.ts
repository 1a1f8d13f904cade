/** Work that no caller waits for. Its errors are reported. */

import { callOutside, outside } from '../common/context.js'
import { errorOf } from '../common/errors.js'
import { monotonic, queueMicrotask } from '../common/time.js'
import type { DurableErrorSource } from '../common/types.js'
import type { Clock } from './clock.js'

export type OnError = (error: Error, source: DurableErrorSource) => void

/** Milliseconds within which errors with one message are reported once, if they have no timer: while a database cannot be reached. */
const QUIET = 10_000
/** Between two tries of a statement, in milliseconds. */
const FIRST_WAIT = 100
const LONGEST_WAIT = 5_000

/** The wait before the next try, after a wait. */
export const longerWait = (wait: number): number =>
  wait === 0 ? FIRST_WAIT : Math.min(wait * 2, LONGEST_WAIT)

export class Background {
  /** `close` was called: nothing is claimed or started. Then all has ended, and nothing is reported. */
  isClosing = false
  isEnded = false
  readonly #clock: Clock
  readonly #onError: OnError
  /** A statement for many callers rejects all their promises with one error. */
  readonly #reported = new WeakSet<Error>()
  /** The messages of errors without a timer, since a time. */
  readonly #recent = new Set<string>()
  #since = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, onError: OnError) {
    this.#clock = clock
    this.#onError = onError
  }

  /** Reports an error once. @param source the timer whose attempt has failed */
  report(thrown: unknown, source: DurableErrorSource = {}): void {
    const error = errorOf(thrown)
    if (this.isEnded || this.#reported.has(error) || (source.id === undefined && this.#repeats(error))) return
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

  #repeats({ message }: Error): boolean {
    const now = monotonic()
    if (now - this.#since >= QUIET) {
      this.#recent.clear()
      this.#since = now
    }
    const { size } = this.#recent
    return this.#recent.add(message).size === size
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
  persist(work: () => Promise<void>, wait = 0): void {
    if (this.isEnded) return
    this.run(() =>
      work().catch((thrown) => {
        this.report(thrown)
        const next = longerWait(wait)
        this.#clock.after(next, () => this.persist(work, next))
      }),
    )
  }
}
