/** Starts timers that are due, and waits for their handlers. */
import { channel } from 'node:diagnostics_channel'
import { callOutside } from '../common/context.js'
import { DurableError, errorOf } from '../common/errors.js'
import { setImmediate } from '../common/time.js'
import type { DurableAttemptMessage, DurableRun } from '../common/types.js'
import { type Attempt, current, Run } from './attempt.js'
import type { Ends } from './ends.js'
import type { Handler } from './handler.js'
import type { Lease } from './lease.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 3
/** A start that waits for no longer than this asks nobody, in milliseconds. */
const LITTLE = 2
/** How long a start waits for news, and how old they may be, in milliseconds. */
const PATIENCE = 100
const AGE = 10

const attempts = channel('timeout-wheel:durable')
const publish = (message: DurableAttemptMessage): void => attempts.publish(message)

export class Runs {
  readonly #lease: Lease
  readonly #ends: Ends
  /** The last reading of news, and when it began. */
  #heard: Promise<void> | undefined
  #heardAt = 0

  constructor(lease: Lease, ends: Ends) {
    this.#lease = lease
    this.#ends = ends
  }

  get isIdle(): boolean {
    return [...this.#lease.held.handlers.values()].every((handler) => !handler.isStarting)
  }

  /** Plans the next start of a name: at once if something is due and may run. Gives back what may not run here. */
  plan(handler: Handler): void {
    // It plans the next one itself.
    if (handler.isStarting) return
    const { waiting, due, running, options } = handler
    if (this.#lease.background.isClosing || !handler.isActive) return this.#ends.giveBack(waiting.slice(0))
    const next = waiting.at(due)
    if (next !== undefined) handler.starting.set(next.row.due)
    if (this.#lease.others > 0) {
      // Another process may have room.
      const most = Math.max(0, options.concurrency * 2 - running.size)
      this.#ends.giveBack(waiting.slice(most, due))
    }
    if (!handler.canStart) return
    handler.isStarting = true
    // Once in a turn, and in a turn of its own: handlers that end at once must not keep the event loop from all else.
    setImmediate(() => this.#lease.background.run(() => this.#start(handler)))
  }

  /** Starts what is due, up to the concurrency of the handler. */
  async #start(handler: Handler): Promise<void> {
    const { clock, background } = this.#lease
    try {
      // The answer tells the time of the database, too.
      if (this.#lease.others > 0 || this.#unknown(handler) > LITTLE) await this.#hear()
      const end = clock.monotonic() + TURN
      while (handler.canStart && !background.isClosing && clock.monotonic() < end) {
        if (this.#unknown(handler) > 0) break
        if (!this.#lease.isAlive) return this.#lease.lapse()
        const attempt = handler.waiting.at(0)!
        if (this.#ends.refuses(attempt, handler)) continue
        if (attempt.row.watched === 1) this.#ends.noteStart(attempt, handler)
        else this.#run(attempt, handler)
      }
    } finally {
      handler.isStarting = false
      const unknown = this.#unknown(handler)
      if (unknown > 0) handler.starting.set(clock.now() + unknown)
      else this.plan(handler)
    }
  }

  /** Reads what others have replaced or cleared, unless that is known. Starts of all turns would cost a statement each. */
  async #hear(): Promise<void> {
    const { clock, background } = this.#lease
    const now = clock.monotonic()
    if (this.#heard === undefined || now - this.#heardAt > AGE) {
      this.#heardAt = now
      // The database may be slow or locked: what is held starts all the same.
      const patience = new Promise<void>((resolve) => clock.after(PATIENCE, resolve))
      const news = this.#lease.read().catch((error) => background.report(error))
      this.#heard = Promise.race([news, patience])
    }
    await this.#heard
  }

  /** How long the next timer waits until its time has come for certain: the database's is not known well. */
  #unknown({ waiting, canStart }: Handler): number {
    return canStart ? waiting.at(0)!.row.due - this.#lease.clock.least() : 0
  }

  #run(attempt: Attempt, handler: Handler): void {
    const { clock, held } = this.#lease
    held.start(attempt)
    attempt.start = clock.monotonic()
    attempt.from = clock.now()
    if (attempt.row.starts === 0) handler.noteLateness(attempt.lateness)
    let result: unknown
    try {
      const run = new Run(attempt) as DurableRun as never
      result = callOutside((one) => current.run(attempt, handler.run, one), run)
    } catch (thrown) {
      return this.#ended(attempt, handler, errorOf(thrown))
    }
    // Most handlers return a promise. The end of others needs none.
    if (result === null || (typeof result !== 'object' && typeof result !== 'function'))
      this.#ended(attempt, handler)
    else this.#await(result, attempt, handler)
  }

  #await(result: object, attempt: Attempt, handler: Handler): void {
    const { clock } = this.#lease
    let timer: number | undefined
    let hasEnded = false
    const end = (error?: Error): void => {
      if (hasEnded) return
      hasEnded = true
      if (timer !== undefined) clock.clear(timer)
      this.#ended(attempt, handler, error)
    }
    const { timeout } = handler.options
    if (timeout !== Number.POSITIVE_INFINITY) {
      timer = clock.after(attempt.start + timeout - clock.monotonic(), () => {
        const error = timedOut(attempt, timeout)
        // Before the abort, at which the handler may reject.
        end(error)
        attempt.abort(error)
      })
    }
    new Promise((resolve) => resolve(result)).then(
      () => end(),
      (thrown) => end(errorOf(thrown)),
    )
  }

  #ended(attempt: Attempt, handler: Handler, failure?: Error): void {
    const { clock, held } = this.#lease
    const { timeout } = handler.options
    const duration = clock.monotonic() - attempt.start
    // One that has blocked the event loop has not let the timer of its timeout run.
    const error = failure ?? (duration > timeout ? timedOut(attempt, timeout) : undefined)
    if (attempts.hasSubscribers) {
      const { lateness, source } = attempt
      callOutside(publish, { ...source, lateness, duration, error })
    }
    held.stop(attempt)
    this.#ends.ended(attempt, handler, error)
    this.plan(handler)
  }
}

const timedOut = ({ row }: Attempt, timeout: number): DurableError =>
  new DurableError(
    'ERR_DURABLE_TIMEOUT',
    `the handler of ${JSON.stringify(row.name)} has taken more than ${timeout} ms`,
  )
