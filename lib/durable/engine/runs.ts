/** Starts timers that are due, and waits for their handlers. */
import { channel } from 'node:diagnostics_channel'
import { callOutside } from '../common/context.js'
import { DurableError, errorOf } from '../common/errors.js'
import type { End, Ended, Row } from '../common/store.js'
import { setImmediate } from '../common/time.js'
import type { DurableAttemptMessage, DurableRun } from '../common/types.js'
import { type Attempt, current, Run } from './attempt.js'
import type { Ends } from './ends.js'
import type { Handler } from './handler.js'
import type { Lease } from './lease.js'
import type { News } from './news.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 3
/** A start that waits for no longer than this asks nobody, in milliseconds. */
const LITTLE = 2
/** Before the start of a watched row is tried again that could not be stored, in milliseconds. */
const WAIT = 100

const attempts = channel('timeout-wheel:durable')
const publish = (message: DurableAttemptMessage): void => attempts.publish(message)

/** The start of a watched row, as its process stores it. */
const startOf = (row: Row, owner: number): End => {
  const { id, name, key, at, due, last, starts, failures, deaths, error } = row
  const next = { id, at, due, last, starts, failures, deaths, watched: 2, error, owner }
  return { name, due, id, key, from: 0, newId: id, next }
}

export class Runs {
  readonly #lease: Lease
  readonly #ends: Ends
  readonly #news: News

  constructor(lease: Lease, ends: Ends, news: News) {
    this.#lease = lease
    this.#ends = ends
    this.#news = news
  }

  get isIdle(): boolean {
    return [...this.#lease.held.handlers.values()].every((handler) => !handler.isStarting)
  }

  /** Plans the next start of a name: at once if something is due and may run. Gives back what may not run here. */
  plan(handler: Handler): void {
    const { waiting, due, running, options } = handler
    if (this.#lease.background.isClosing || !handler.isActive)
      return this.#ends.giveBack(waiting.slice(0, waiting.size))
    const next = waiting.at(due)
    if (next !== undefined) handler.starting.set(next.row.due)
    if (this.#lease.others > 0) {
      // Another process may have room.
      const most = Math.max(0, options.concurrency * 2 - running)
      this.#ends.giveBack(waiting.slice(most, due))
    }
    if (handler.isStarting || !handler.canStart) return
    handler.isStarting = true
    // Once in a turn, and in a turn of its own: handlers that end at once must not keep the event loop from all else.
    setImmediate(() => this.#lease.background.run(() => this.#start(handler)))
  }

  /** Starts what is due, up to the concurrency of the handler. */
  async #start(handler: Handler): Promise<void> {
    const { clock, held, background } = this.#lease
    const toNote: Attempt[] = []
    try {
      // The answer tells the time of the database, too.
      if (this.#lease.others > 0 || this.#unknown(handler) > LITTLE) await this.#news.hear()
      const end = clock.monotonic() + TURN
      while (handler.canStart && !background.isClosing && clock.monotonic() < end) {
        if (this.#unknown(handler) > 0) break
        if (!this.#lease.isAlive) return this.#lease.lapse()
        const attempt = handler.waiting.at(0)!
        if (this.#ends.refuses(attempt, handler)) continue
        held.start(attempt)
        if (attempt.row.watched === 1) toNote.push(attempt)
        else this.#run(attempt, handler)
      }
    } finally {
      if (toNote.length > 0) background.run(() => this.#note(toNote, handler))
      handler.isStarting = false
      const unknown = this.#unknown(handler)
      if (unknown > 0) handler.starting.set(clock.now() + unknown)
      else this.plan(handler)
    }
  }

  /** How long the next timer waits until its time has come for certain: the database's is not known well. */
  #unknown({ waiting, canStart }: Handler): number {
    return canStart ? waiting.at(0)!.row.due - this.#lease.clock.least() : 0
  }

  /** Stores the starts of timers that a process may have started before it ended. Then they start. */
  async #note(noted: readonly Attempt[], handler: Handler): Promise<void> {
    const { clock, held, background } = this.#lease
    /** Null: this process does not own the row. Undefined: it has got another number meanwhile. */
    let answers: Ended[] | undefined
    try {
      await this.#lease.ask(
        'end',
        (owner) => ({ owner, ends: noted.map(({ row }) => startOf(row, owner)), wasDivided: false }),
        (ended, owner) => {
          if (owner === this.#lease.owner) answers = ended
        },
      )
    } catch (error) {
      background.report(error)
    }
    if (answers === undefined) await new Promise<void>((resolve) => clock.after(WAIT, resolve))
    for (const [i, attempt] of noted.entries()) {
      held.stop(attempt)
      if (attempt.state === 'lost') continue
      if (answers !== undefined) attempt.row.watched = 2
      if (answers?.[i] === null) held.drop(attempt)
      else held.to('waits', attempt)
    }
    this.plan(handler)
  }

  #run(attempt: Attempt, handler: Handler): void {
    const { clock } = this.#lease
    attempt.start = clock.monotonic()
    attempt.from = clock.now()
    attempt.lateness = attempt.from - attempt.row.at
    handler.noteLateness(attempt.lateness)
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
