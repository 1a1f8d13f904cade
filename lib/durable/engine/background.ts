/** Work that no caller waits for. Its errors are reported. */
import { callOutside, outside } from '../common/context.js'
import { errorOf } from '../common/errors.js'
import { monotonic, queueMicrotask } from '../common/time.js'
import type { DurableErrorSource } from '../common/types.js'
import type { Clock } from './clock.js'

export type OnError = (error: Error, source: DurableErrorSource) => void
export type Background = ReturnType<typeof makeBackground>

/**
 * Milliseconds within which errors with one message are reported once, if they have no timer. While a database cannot be reached, each end
 * that is tried again has an error of its own.
 */
const QUIET = 10_000
/** Between two tries of a statement, in milliseconds. */
const FIRST_WAIT = 100
const LONGEST_WAIT = 5_000

export function makeBackground(clock: Clock, onError: OnError) {
  /** The messages of errors without a timer, since a time. */
  const recent = new Set<string>()
  let since = Number.NEGATIVE_INFINITY

  /** Reports an error. @param source the timer whose attempt has failed */
  function report(thrown: unknown, source: DurableErrorSource = {}): void {
    const error = errorOf(thrown)
    if (monotonic() - since >= QUIET) {
      recent.clear()
      since = monotonic()
    }
    const isNew = source.id !== undefined || recent.size < recent.add(error.message).size
    if (background.isEnded || !isNew) return
    try {
      callOutside((one) => onError(one, source), error)
    } catch (second) {
      // An error of the program, which nothing here depends on.
      queueMicrotask(() => {
        throw second
      })
    }
  }

  function run(work: () => Promise<void>): void {
    outside(work).catch((thrown) => report(thrown))
  }

  function every(ms: number, work: () => Promise<void>): void {
    clock.after(ms, () => {
      if (!background.isEnded) run(() => work().finally(() => every(ms, work)))
    })
  }

  /** Tries again after growing waits, until it succeeds or the store is closed. */
  function persist(work: () => Promise<void>, wait = FIRST_WAIT): void {
    const again = (thrown: unknown): void => {
      if (background.isEnded) return
      report(thrown)
      clock.after(wait, () => persist(work, Math.min(wait * 2, LONGEST_WAIT)))
    }
    if (!background.isEnded) outside(work).catch(again)
  }

  const background = {
    /** Whether the store is closed: nothing is reported. */
    isEnded: false,
    ...{ report, run, every, persist },
  }
  return background
}
