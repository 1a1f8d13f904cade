/** Starts timers that are due, and acknowledges them when their handlers have ended. */
import type { Background } from './background.js'
import type { Clock } from './clock.js'
import { errorOf, messageOf } from './errors.js'
import type { GroupCommit } from './group-commit.js'
import type { Handler } from './handler.js'
import type { Attempt, Held } from './held.js'
import type { Lease } from './lease.js'
import { afterRun, isLeftOut, type Rule } from './rule.js'
import { type End, type Ended, FAILED, type Next, type Row } from './store.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 4
/** How long a start waits for the news of other processes, in milliseconds. */
const PATIENCE = 100

export interface RunParts {
  clock: Clock
  lease: Lease
  held: Held
  ends: GroupCommit<End, Ended>
  background: Background
}

export interface RunEvents {
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
      // Another process may have replaced or cleared one of them a moment ago.
      if (lease.others > 0) await Promise.race([this.#events.readNews(), this.#patience()])
      const end = clock.monotonic() + TURN
      while (handler.canStart && !this.isStopped && clock.monotonic() < end) {
        if (!lease.isAlive) return lease.lapse()
        const attempt = handler.take()
        const { rule } = attempt.row
        if (rule !== null && !(await this.#isToRun(handler, attempt, rule))) continue
        // The clock may have been set back since it was due.
        if (attempt.row.due > clock.now()) {
          held.plan(attempt)
          continue
        }
        held.to('runs', attempt)
        handler.run(attempt, clock, (error) => this.#ended(handler, attempt, error))
      }
    } finally {
      handler.isStarting = false
      this.#events.moved()
      if (lease.isAlive) this.#plan(handler)
    }
  }

  /** The database may be slow or locked: what is held starts all the same. */
  #patience(): Promise<void> {
    return new Promise((resolve) => this.#parts.clock.after(PATIENCE, resolve))
  }

  /** Whether a timer with a rule starts now. Ends it if this run is left out. */
  async #isToRun(handler: Handler, attempt: Attempt, text: string): Promise<boolean> {
    const { clock, lease, background } = this.#parts
    const { row } = attempt
    try {
      const rule = JSON.parse(text) as Rule
      if (row.tries === 0 && (await isLeftOut(rule, row.due, clock.now()))) {
        const due = await afterRun(rule, row.due, clock.now(), true)
        this.#end(attempt, due === undefined ? due : { due, id: undefined, tries: 0, error: null })
        return false
      }
    } catch (thrown) {
      // For example because the package for cron expressions is missing.
      background.run(() => this.#failed(handler, attempt, errorOf(thrown)))
      return false
    }
    // The rule may have taken some time.
    if (!lease.isAlive) lease.lapse()
    return attempt.state === 'waits' && !this.isStopped
  }

  #ended(handler: Handler, attempt: Attempt, error: Error | undefined): void {
    if (error !== undefined) this.#parts.background.run(() => this.#failed(handler, attempt, error))
    else this.#succeeded(attempt)
    this.#plan(handler)
  }

  #succeeded(attempt: Attempt): void {
    this.counts.ran++
    const { row } = attempt
    if (row.rule === null) return this.#end(attempt, undefined)
    this.#parts.background.run(async () => {
      this.#end(attempt, await this.#nextRun(row, null).catch((thrown) => this.#asFailed(row, thrown)))
    })
  }

  async #failed(handler: Handler, attempt: Attempt, error: Error): Promise<void> {
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
    const next = await this.#nextRun(row, messageOf(error)).catch((thrown) => this.#asFailed(row, thrown))
    this.#end(attempt, next ?? this.#asFailed(row, error))
  }

  async #nextRun(row: Row, error: string | null): Promise<Omit<Next, 'owner'> | undefined> {
    if (row.rule === null) return undefined
    const due = await afterRun(JSON.parse(row.rule) as Rule, row.due, this.#parts.clock.now(), false)
    return due === undefined ? undefined : { due, id: undefined, tries: 0, error }
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
    this.#store(attempt, next, (error) => {
      const { background } = this.#parts
      background.report(error)
      const again = () => new Promise<void>((resolve, reject) => this.#store(attempt, next, reject, resolve))
      background.run(() => background.persist(again))
    })
  }

  #store(
    attempt: Attempt,
    next: Omit<Next, 'owner'> | undefined,
    fail: (error: unknown) => void,
    stored: () => void = () => {},
  ): void {
    const { held, ends } = this.#parts
    const { row, owner } = attempt
    if (held.find(row.id) !== attempt) return stored()
    const holder = next === undefined ? 0 : this.#events.holder(row.name, next.due)
    const { due, id, fence } = row
    const end = { due, id, fence, owner, next: next && { ...next, owner: holder } }
    const finish = (): void => {
      held.forget(attempt)
      this.#events.moved()
      stored()
    }
    const apply = (ended: Ended): void => {
      if (!ended.isDone) {
        // If this process has claimed the row anew, under a new lease, the attempt ends under that claim, whose answer may come later.
        void this.#events.whenClaimed().then(() => {
          if (attempt.row !== row) this.#store(attempt, next, fail, stored)
          else finish()
        })
        return
      }
      finish()
      // The answer of a claim has come first: this process owns the next attempt already.
      if (attempt.row !== row) held.add(attempt.row, attempt.owner)
      else if (next !== undefined) {
        const { due, tries, error } = next
        this.#events.again({ ...row, due, id: ended.id!, fence: row.fence + 1, tries, error }, holder)
      }
    }
    ends.add(end, apply, fail)
  }
}
