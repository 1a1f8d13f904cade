/** Starts timers that are due, and acknowledges them when their handlers have ended. */

import { errorOf, messageOf } from '../common/errors.js'
import { type End, type Ended, FAILED, type Next, type Row } from '../common/store.js'
import { setImmediate, sleep } from '../common/time.js'
import type { Background } from './background.js'
import type { Clock } from './clock.js'
import { type EndItem, type Ends, MOST } from './group-commit.js'
import type { Handler } from './handler.js'
import type { Attempt, Held } from './held.js'
import type { Lease } from './lease.js'
import { afterRun, isLeftOut, type Rule } from './rule.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 3
/** How long a start waits for the news of other processes, and how old they may be, in milliseconds. */
const PATIENCE = 100
const NEWS_AGE = 10
/** How long acknowledgements wait, in milliseconds, while handlers start faster than they can be acknowledged. */
const PACE = 25
/** Acknowledgements do not wait if handlers start later than this, in milliseconds: the wait costs a sixth to a third of the throughput. */
const LATE = 100

interface RunParts {
  clock: Clock
  lease: Lease
  held: Held
  ends: Ends
  background: Background
}

interface RunEvents {
  /** Reads what other processes have replaced or cleared. */
  readNews(): Promise<void>
  /** The number under which this process would hold a timer; else 0. */
  holder(name: string, due: number): number
  /** A timer is due again: here, if the number is that of this process. */
  again(row: Row, owner: number): void
  /** An attempt has started or ended. */
  moved(): void
  /** Fulfilled when the claim that is under way, if any, has been answered. */
  whenClaimed(): Promise<void>
}

export class Runs {
  readonly counts = { ran: 0, failures: 0 }
  readonly handlers = new Map<string, Handler>()
  readonly #parts: RunParts
  readonly #events: RunEvents
  /** The last reading of news for a start, and when it began. */
  #news: Promise<void> | undefined
  #newsAt = 0
  /** Handlers that were started since the last acknowledgements were sent. */
  #started = 0
  /** How late the last of them was, in milliseconds. */
  #lateness = 0
  /** Starts nothing. */
  isStopped = false
  /** Does not count the failures of handlers whose signals were aborted by the end of `close`. */
  isAborted = false

  constructor(parts: RunParts, events: RunEvents) {
    this.#parts = parts
    this.#events = events
  }

  get running(): number {
    let running = 0
    for (const handler of this.handlers.values()) running += handler.running
    return running
  }

  get isStarting(): boolean {
    for (const handler of this.handlers.values()) if (handler.isStarting) return true
    return false
  }

  async whenIdle(): Promise<void> {
    await Promise.all([...this.handlers.values()].map((handler) => handler.whenIdle()))
  }

  /** A timer that is held is due. */
  due(attempt: Attempt): void {
    const handler = this.handlers.get(attempt.row.name)!
    handler.enqueue(attempt)
    this.#plan(handler)
  }

  #plan(handler: Handler): void {
    if (handler.isStarting || this.isStopped || !handler.canStart) return
    handler.isStarting = true
    // Once in a turn, and in a turn of its own: handlers that end at once must not keep the event loop from all else.
    setImmediate(() => this.#parts.background.run(() => this.#start(handler)))
  }

  /** Starts what is due, up to the concurrency of the handler. */
  async #start(handler: Handler): Promise<void> {
    const { lease, clock, held } = this.#parts
    try {
      if (lease.others > 0) await this.#hear()
      const end = clock.monotonic() + TURN
      while (handler.canStart && !this.isStopped && clock.monotonic() < end) {
        if (!lease.isAlive) return lease.lapse()
        const attempt = handler.take()
        const { rule } = attempt.row
        if (rule !== null && this.#isLeftOut(handler, attempt, rule)) continue
        // The clock may have been set back since it was due.
        if (attempt.row.due > clock.now()) {
          held.postpone(attempt)
          continue
        }
        held.to('runs', attempt)
        this.#started++
        handler.run(attempt, clock, this.#ended)
        this.#lateness = attempt.lateness
      }
    } finally {
      handler.isStarting = false
      this.#events.moved()
      if (lease.isAlive) this.#plan(handler)
    }
  }

  /**
   * Lets the starts of a burst come before its acknowledgements while they are on time: both need the processor. Called before some are
   * sent.
   *
   * @param hasRoom whether as many as before can wait for their acknowledgement
   */
  pace(hasRoom: boolean): Promise<void> | undefined {
    const isBurst = this.#started > MOST && this.#lateness < LATE
    this.#started = 0
    return isBurst && hasRoom && !this.isStopped ? sleep(PACE) : undefined
  }

  /** Reads what other processes have replaced or cleared, unless that is known. Starts of all turns would cost a statement each. */
  async #hear(): Promise<void> {
    const { clock } = this.#parts
    const now = clock.monotonic()
    if (this.#news === undefined || now - this.#newsAt > NEWS_AGE) {
      this.#newsAt = now
      // The database may be slow or locked: what is held starts all the same.
      const patience = new Promise<void>((resolve) => clock.after(PATIENCE, resolve))
      this.#news = Promise.race([this.#events.readNews(), patience])
    }
    await this.#news
  }

  /** Whether this run of a timer with a rule does not start. Then it has ended. */
  #isLeftOut(handler: Handler, attempt: Attempt, text: string): boolean {
    const { row } = attempt
    try {
      const rule = JSON.parse(text) as Rule
      const now = this.#parts.clock.now()
      if (row.tries > 0 || !isLeftOut(rule, row.due, now)) return false
      const due = afterRun(rule, row.due, now, true)
      this.#end(attempt, due === undefined ? due : { due, id: undefined, tries: 0, error: null })
    } catch (thrown) {
      // For example because the package for cron expressions is missing.
      this.#failed(handler, attempt, errorOf(thrown))
    }
    return true
  }

  readonly #ended = (handler: Handler, attempt: Attempt, error: Error | undefined): void => {
    if (error !== undefined) this.#failed(handler, attempt, error)
    else this.#succeeded(attempt)
    this.#plan(handler)
  }

  #succeeded(attempt: Attempt): void {
    this.counts.ran++
    const { row } = attempt
    if (attempt.state === 'lost') return
    if (row.rule === null) {
      // Its signal can be aborted still, if anyone has it.
      if (attempt.controller !== undefined) return this.#end(attempt, undefined)
      this.#parts.held.park(attempt)
      return this.#parts.ends.add(row.id)
    }
    this.#end(attempt, this.#nextRun(row, null))
  }

  #failed(handler: Handler, attempt: Attempt, error: Error): void {
    if (this.isAborted) return
    this.counts.failures++
    // A handler that rejects with the reason of its signal tells nothing new.
    if (error !== attempt.reason) this.#parts.background.report(error)
    const { row } = attempt
    const tries = row.tries + 1
    if (tries <= handler.options.retries) {
      const due = Math.ceil(this.#parts.clock.now() + handler.waitBefore(tries))
      return this.#end(attempt, { due, id: row.id, tries, error: messageOf(error) })
    }
    // A timer that repeats goes on with its next run.
    this.#end(attempt, this.#nextRun(row, messageOf(error)) ?? this.#asFailed(row, error))
  }

  #nextRun(row: Row, error: string | null): Omit<Next, 'owner'> | undefined {
    if (row.rule === null) return undefined
    try {
      const due = afterRun(JSON.parse(row.rule) as Rule, row.due, this.#parts.clock.now(), false)
      return due === undefined ? undefined : { due, id: undefined, tries: 0, error }
    } catch (thrown) {
      return this.#asFailed(row, thrown)
    }
  }

  #asFailed(row: Row, thrown: unknown): Omit<Next, 'owner'> {
    const error = errorOf(thrown)
    this.#parts.background.report(error)
    const due = FAILED + Math.floor(this.#parts.clock.now())
    return { due, id: row.id, tries: row.tries + 1, error: messageOf(error) }
  }

  /** Acknowledges an attempt: the timer goes, or is due again. Persists until that is stored. */
  #end(attempt: Attempt, next: Omit<Next, 'owner'> | undefined): void {
    if (attempt.state === 'lost') return
    this.#parts.held.to('ends', attempt)
    this.#store(attempt, next, undefined)
  }

  #store(attempt: Attempt, next: Omit<Next, 'owner'> | undefined, waiting: Waiting | undefined): void {
    const { row } = attempt
    if (this.#parts.held.find(row.id) !== attempt) return waiting?.resolve()
    const owner = next === undefined ? 0 : this.#events.holder(row.name, next.due)
    this.#parts.ends.add(new Ending(this, attempt, next && { ...next, owner }, waiting))
  }

  /** The end of a timer whose handler has succeeded, if it was not lost since. */
  ending(id: number): EndItem | undefined {
    const attempt = this.#parts.held.unpark(id)
    return attempt && new Ending(this, attempt, undefined, undefined)
  }

  /** An end was stored, or its row was not found as it was. */
  stored({ attempt, row, next, waiting }: Ending, { isDone, id }: Ended): void {
    if (!isDone) {
      // If this process has claimed the row anew, under a new lease, the attempt ends under that claim, whose answer may come later.
      void this.#events.whenClaimed().then(() => {
        if (attempt.row !== row) this.#store(attempt, next, waiting)
        else this.#finish(attempt, waiting)
      })
      return
    }
    this.#finish(attempt, waiting, next === undefined)
    // The answer of a claim has come first: this process owns the next attempt already.
    if (attempt.row !== row) this.#events.again(attempt.row, attempt.owner)
    else if (next !== undefined) {
      const { due, tries, error, owner } = next
      this.#events.again({ ...row, due, id: id!, fence: row.fence + 1, tries, error }, owner)
    }
  }

  #finish(attempt: Attempt, waiting: Waiting | undefined, isRemoved = false): void {
    this.#parts.held.lose(attempt, isRemoved)
    this.#events.moved()
    waiting?.resolve()
  }

  notStored({ attempt, next, waiting }: Ending, error: unknown): void {
    if (waiting !== undefined) return waiting.reject(error)
    const { background } = this.#parts
    background.report(error)
    const again = () =>
      new Promise<void>((resolve, reject) => this.#store(attempt, next, { resolve, reject }))
    background.run(() => background.persist(again))
  }
}

/** Who waits for an end that was not stored the first time. */
interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/** The end of an attempt on the way to the store. Very many can be on the way, so that it has no functions of its own. */
class Ending implements EndItem {
  readonly #runs: Runs
  readonly attempt: Attempt
  /** As it was claimed when this was sent. */
  readonly row: Row
  readonly #owner: number
  readonly next: Next | undefined
  readonly waiting: Waiting | undefined

  constructor(runs: Runs, attempt: Attempt, next: Next | undefined, waiting: Waiting | undefined) {
    this.#runs = runs
    this.attempt = attempt
    this.row = attempt.row
    this.#owner = attempt.owner
    this.next = next
    this.waiting = waiting
  }

  get end(): End {
    const { due, id, fence, name, key } = this.row
    return { due, id, fence, name, key, owner: this.#owner, next: this.next }
  }

  apply(ended: Ended): void {
    this.#runs.stored(this, ended)
  }

  fail(error: unknown): void {
    this.#runs.notStored(this, error)
  }
}
