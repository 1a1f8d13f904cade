/** Starts timers that are due, and acknowledges them when their handlers have ended. */
import { DurableError, errorOf, messageOf } from '../common/errors.js'
import type { Ids } from '../common/ids.js'
import { type End, type Ended, FAILED, FRESH, type Next, type Row } from '../common/store.js'
import { setImmediate } from '../common/time.js'
import type { Attempt } from './attempt.js'
import type { Background } from './background.js'
import type { Clock } from './clock.js'
import type { GroupCommit, Item } from './group-commit.js'
import { attemptOf, type Handler } from './handler.js'
import type { Held } from './held.js'
import type { Lease } from './lease.js'
import { afterRun, isLeftOut, type Rule, readRule } from './rule.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 3
/** How long a start waits for the news of other processes, and how old they may be, in milliseconds. */
const PATIENCE = 100
const NEWS_AGE = 10
/** A start that waits for no longer than this asks nobody, in milliseconds. */
const LITTLE = 2

export type Ends = GroupCommit<Ending, Ended>

interface RunParts {
  clock: Clock
  lease: Lease
  held: Held
  handlers: ReadonlyMap<string, Handler>
  ends: Ends
  ids: Ids
  background: Background
}

interface RunEvents {
  /** Reads what other processes have replaced or cleared. */
  readNews(): Promise<void>
  /** Stores the starts of watched rows. @returns those that this process owns; undefined: it has got another number meanwhile */
  note(rows: Row[]): Promise<string[] | undefined>
  /** The number under which this process would hold a timer; else 0. */
  holder(name: string, due: number): number
  /** A timer is due again: here, if the number is that of this process. */
  again(row: Row, owner: number): void
  /** An attempt has started or ended. */
  moved(name: string): void
}

/** What becomes of a run, but for what stays the same, and for who holds it. */
type Outcome = Partial<Omit<Next, 'owner'>> & { due: number }

const retriesOf = ({ rule }: Row, { options }: Handler): number => readRule(rule).retries ?? options.retries

export class Runs {
  readonly #parts: RunParts
  readonly #events: RunEvents
  /** The last reading of news for a start, and when it began. */
  #news: Promise<void> | undefined
  #newsAt = 0
  /** Starts nothing. */
  isStopped = false

  constructor(parts: RunParts, events: RunEvents) {
    this.#parts = parts
    this.#events = events
  }

  get running(): number {
    let running = 0
    for (const handler of this.#parts.handlers.values()) running += handler.running
    return running
  }

  get isStarting(): boolean {
    for (const handler of this.#parts.handlers.values())
      if (handler.isStarting || handler.noting > 0) return true
    return false
  }

  async whenIdle(): Promise<void> {
    await Promise.all([...this.#parts.handlers.values()].map((handler) => handler.whenIdle()))
  }

  /** A timer that is held is due. */
  due(attempt: Attempt, handler: Handler): void {
    // Another process may have room.
    if (this.#parts.lease.others > 0 && handler.slots < -handler.options.concurrency)
      return this.giveBack([attempt])
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
    const toNote: Attempt[] = []
    let name = ''
    try {
      // The answer tells the time of the database, too.
      const wait = handler.canStart ? handler.next.row.due - clock.least() : 0
      if (lease.others > 0 || wait > LITTLE) await this.#hear()
      const end = clock.monotonic() + TURN
      while (handler.canStart && !this.isStopped && clock.monotonic() < end) {
        if (!lease.isAlive) return lease.lapse()
        const attempt = handler.take()
        const { row } = attempt
        name = row.name
        if (row.due > clock.least()) held.postpone(attempt)
        else if (this.#isRefused(handler, attempt)) continue
        else if (row.watched === 1) {
          handler.noting++
          toNote.push(attempt)
        } else {
          held.to('runs', attempt)
          handler.run(attempt, clock, this.#ended)
        }
      }
    } finally {
      if (toNote.length > 0) this.#parts.background.run(() => this.#note(handler, toNote))
      handler.isStarting = false
      if (name !== '') this.#events.moved(name)
      if (lease.isAlive) this.#plan(handler)
    }
  }

  /** Stores the starts of timers that a process may have started before it ended. Then they start. */
  async #note(handler: Handler, attempts: readonly Attempt[]): Promise<void> {
    const noted = await this.#events.note(attempts.map(({ row }) => row)).catch((error) => {
      this.#parts.background.report(error)
      return undefined
    })
    for (const attempt of attempts) {
      handler.noting--
      if (noted?.includes(attempt.row.id)) attempt.row.watched = 2
      else if (noted !== undefined) this.#parts.held.lose(attempt)
      if (attempt.state === 'due') handler.enqueue(attempt)
    }
    const plan = (): void => this.#plan(handler)
    if (noted === undefined) this.#parts.clock.after(PATIENCE, plan)
    else plan()
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

  /** Whether a timer does not start, because it is late or has ended too many processes. Then it has ended. */
  #isRefused(handler: Handler, attempt: Attempt): boolean {
    const { row } = attempt
    if (row.deaths >= handler.options.deaths) {
      const message = `${row.deaths} processes have ended while the handler of ${JSON.stringify(row.name)} ran`
      this.#fail(attempt, new DurableError('ERR_DURABLE_DEATHS', message))
      return true
    }
    // It has certainly started before.
    if (row.rule === null || row.failures + row.deaths > 0 || row.starts > (row.watched > 0 ? 1 : 0))
      return false
    try {
      const rule = JSON.parse(row.rule) as Rule
      const now = this.#parts.clock.now()
      if (!isLeftOut(rule, row.at, now)) return false
      const due = afterRun(rule, row.at, now, true)
      this.#end(attempt, due === undefined ? null : this.#nextRun(due, row.last, null))
    } catch (thrown) {
      // For example because the package for cron expressions is missing.
      this.#failed(handler, attempt, errorOf(thrown))
    }
    return true
  }

  readonly #ended = (handler: Handler, attempt: Attempt, error: Error | undefined): void => {
    const { again, verdict, row } = attempt
    const failure = error ?? verdict
    if (failure !== undefined) this.#failed(handler, attempt, failure)
    else if (again !== undefined) this.#end(attempt, { due: this.#dueIn(row, again), starts: row.starts + 1 })
    else {
      handler.ran++
      this.#end(attempt, this.#afterRun(attempt.row, null))
    }
    this.#plan(handler)
  }

  #failed(handler: Handler, attempt: Attempt, error: Error): void {
    if (attempt.state === 'ends') return
    const { row } = attempt
    const { background } = this.#parts
    if (attempt.isGivenUp) return this.giveUp(attempt)
    handler.failures++
    // A handler that rejects with the reason of its signal tells nothing new.
    if (error !== attempt.reason) background.report(error, attemptOf(row))
    const failures = row.failures + 1
    if (attempt.verdict !== undefined || failures > retriesOf(row, handler))
      return this.#fail(attempt, error, { failures, starts: row.starts + 1 })
    const due = this.#dueIn(row, attempt.again ?? handler.waitBefore(failures))
    this.#end(attempt, { due, starts: row.starts + 1, failures, error: messageOf(error) })
  }

  /** This process has aborted an attempt, or does not wait for it. That is no failure. */
  giveUp(attempt: Attempt): void {
    const { row } = attempt
    this.#end(attempt, { due: this.#dueIn(row, 0), starts: row.starts + 1 })
  }

  /** When the next attempt is due. The clock may have been set back since the run was due. */
  #dueIn({ at }: Row, ms: number): number {
    return Math.max(at, Math.ceil(this.#parts.clock.now() + ms))
  }

  /** Ends a run that is not tried again. A timer that repeats goes on with its next run. */
  #fail(attempt: Attempt, error: Error, counts: Partial<Row> = {}): void {
    const { row } = attempt
    this.#end(attempt, this.#afterRun(row, messageOf(error)) ?? this.#asFailed({ ...row, ...counts }, error))
  }

  /** The next run of a timer that repeats; else null. */
  #afterRun(row: Row, error: string | null): Outcome | null {
    if (row.rule === null) return null
    try {
      const due = afterRun(JSON.parse(row.rule) as Rule, row.at, this.#parts.clock.now(), false)
      return due === undefined ? null : this.#nextRun(due, row.at, error)
    } catch (thrown) {
      return this.#asFailed(row, thrown)
    }
  }

  #nextRun(due: number, last: number | null, error: string | null): Outcome {
    const id = this.#parts.ids.next()
    return { ...FRESH, id, at: due, due, last, error }
  }

  #asFailed(row: Row, thrown: unknown): Outcome {
    const { starts, failures, deaths } = row
    const error = errorOf(thrown)
    this.#parts.background.report(error, attemptOf(row))
    const due = FAILED + Math.floor(this.#parts.clock.now())
    return { due, starts, failures, deaths, error: messageOf(error) }
  }

  /** Acknowledges an attempt: the timer goes, or is due again. Persists until that is stored. */
  #end(attempt: Attempt, outcome: Outcome | null): void {
    if (attempt.state === 'lost' || attempt.state === 'ends') return
    const from = attempt.state === 'runs' ? attempt.from : 0
    this.#parts.held.to('ends', attempt)
    this.#parts.ends.add(new Ending(this, attempt, outcome, from, this.#parts.ids.next(), undefined))
  }

  /** Gives back timers that wait. */
  giveBack(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) this.#end(attempt, { due: attempt.row.due })
  }

  endOf({ attempt, outcome, from, newId }: Ending): End {
    const { id, name, key, at, due, last, starts, failures, deaths, watched, error } = attempt.row
    const end = { id, name, due, key, from, newId }
    if (outcome === null) return { ...end, next: null }
    const owner = this.#events.holder(name, outcome.due)
    const same = { id, at, last, starts, failures, deaths, watched: Math.min(watched, 1), error }
    return { ...end, next: { ...same, ...outcome, owner } }
  }

  /** An end was stored under a number, or its row was not found as it was. */
  stored(ending: Ending, end: End, ended: Ended, owner: number): void {
    const { attempt, waiting } = ending
    const { row, claimed } = attempt
    // The answer of a claim has come first: this process owns the next attempt already.
    if (claimed !== undefined) {
      this.#finish(attempt, waiting)
      this.#events.again(claimed, this.#parts.lease.owner)
    } else if (attempt.state === 'lost') waiting?.resolve()
    // The statement may have come late. What was held is known to be this process's own.
    else if (owner !== this.#parts.lease.owner) this.#parts.ends.add(ending)
    else {
      this.#finish(attempt, waiting)
      if (ended === null) return
      if (ended > 0) this.#events.again({ ...row, due: ended }, 0)
      else if (end.next !== null) {
        const { owner: holder, ...next } = end.next
        this.#events.again({ ...row, ...next }, holder)
      }
    }
  }

  #finish(attempt: Attempt, waiting: Waiting | undefined): void {
    this.#parts.held.lose(attempt)
    this.#events.moved(attempt.row.name)
    waiting?.resolve()
  }

  notStored({ attempt, outcome, from, newId, waiting }: Ending, error: unknown): void {
    if (waiting !== undefined) return waiting.reject(error)
    const { background, ends } = this.#parts
    background.report(error)
    const again = () =>
      new Promise<void>((resolve, reject) =>
        ends.add(new Ending(this, attempt, outcome, from, newId, { resolve, reject })),
      )
    background.run(() => background.persist(again))
  }
}

/** Who waits for an end that was not stored the first time. */
interface Waiting {
  resolve(): void
  reject(error: unknown): void
}

/** The end of an attempt on the way to the store. Very many can be on the way, so that it has no functions of its own. */
export class Ending implements Item<Ended> {
  readonly #runs: Runs
  readonly attempt: Attempt
  readonly outcome: Outcome | null
  readonly from: number
  readonly newId: string
  readonly waiting: Waiting | undefined
  #end: End | undefined
  /** Under which number it is sent. */
  owner = 0

  constructor(
    runs: Runs,
    attempt: Attempt,
    outcome: Outcome | null,
    from: number,
    newId: string,
    waiting: Waiting | undefined,
  ) {
    this.#runs = runs
    this.attempt = attempt
    this.outcome = outcome
    this.from = from
    this.newId = newId
    this.waiting = waiting
  }

  /** Who holds it is decided when it is sent. */
  send(): End {
    this.#end = this.#runs.endOf(this)
    return this.#end
  }

  apply(ended: Ended): void {
    this.#runs.stored(this, this.#end!, ended, this.owner)
  }

  fail(error: unknown): void {
    this.#runs.notStored(this, error)
  }
}
