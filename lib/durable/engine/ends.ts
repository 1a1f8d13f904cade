/** What becomes of a timer that has run, is left out or is given back: its row goes, or is due again. */
import { DurableError, errorOf, messageOf } from '../common/errors.js'
import { Ids } from '../common/ids.js'
import { type End, type Ended, FAILED, FRESH, type Next, type Row } from '../common/store.js'
import type { Attempt } from './attempt.js'
import { longerWait } from './background.js'
import type { Claims } from './claims.js'
import { GroupCommit, type Item } from './group-commit.js'
import type { Handler, Stop } from './handler.js'
import type { Lease } from './lease.js'
import { insteadOf, nextRun, type Rule, readRule } from './rule.js'

/** What a row becomes, but for what stays the same, and for who holds it. */
type Outcome = Partial<Omit<Next, 'owner'>> & { due: number }

export class Ends {
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #ids = new Ids()
  /** Of their own, so that acknowledgements and changes do not wait for one another. */
  readonly #commits: GroupCommit<End, Ended>

  constructor(lease: Lease, claims: Claims) {
    this.#lease = lease
    this.#claims = claims
    this.#commits = new GroupCommit((collect, _, done) =>
      lease.ask('end', (owner) => ({ owner, ends: collect() }), done),
    )
  }

  get busy(): Promise<void> | undefined {
    return this.#commits.busy
  }

  /** Whether a timer does not start, because it is late or has ended too many processes. Then it has ended. */
  refuses(attempt: Attempt, handler: Handler): boolean {
    const { row } = attempt
    if (row.deaths >= handler.options.deaths) {
      const message = `at least ${row.deaths} processes have ended while the handler of ${JSON.stringify(row.name)} ran`
      this.#fail(attempt, new DurableError('ERR_DURABLE_DEATHS', message))
      return true
    }
    // It is never late, or it has certainly started before.
    if (row.rule === null || row.failures + row.deaths > 0 || row.starts > (row.watched > 0 ? 1 : 0))
      return false
    try {
      const due = insteadOf(readRule(row.rule), row, this.#lease.clock.now())
      if (due === undefined) return false
      this.#end(attempt, due === null ? null : this.#nextRun(due, row.last, null))
    } catch (thrown) {
      // For example because the package for cron expressions is missing.
      this.#failed(attempt, handler, errorOf(thrown))
    }
    return true
  }

  /** Stores the start of a row that a process may have started before it ended. When that is stored, the timer starts. */
  noteStart(attempt: Attempt, handler: Handler): void {
    handler.running.add(attempt)
    this.#end(attempt, { due: attempt.row.due, watched: 2 })
  }

  /** A handler has ended. @param thrown why it has failed */
  ended(attempt: Attempt, handler: Handler, thrown: Error | undefined): void {
    const { again, verdict, row, reason, state } = attempt
    const error = thrown ?? verdict
    if (error !== undefined && reason !== undefined && state !== 'lost') this.giveUp(attempt)
    else if (error !== undefined) this.#failed(attempt, handler, error)
    else if (again !== undefined) this.#end(attempt, this.#tryAgain(row, again))
    else {
      handler.ran++
      this.#end(attempt, this.#afterRun(row, null))
    }
  }

  /** This process has aborted an attempt, or does not wait for it. That is no failure. */
  giveUp(attempt: Attempt): void {
    this.#end(attempt, this.#tryAgain(attempt.row, 0))
  }

  #failed(attempt: Attempt, handler: Handler, error: Error): void {
    const { row, verdict, again } = attempt
    handler.failures++
    // A handler that rejects with the reason of its signal tells nothing new.
    if (error !== attempt.reason) this.#lease.background.report(error, attempt.source)
    const failures = row.failures + 1
    const { retries = handler.options.retries } = readRule(row.rule)
    const next = this.#tryAgain(row, again ?? handler.waitBefore(failures))
    if (verdict !== undefined || failures > retries)
      this.#fail(attempt, error, { failures, starts: next.starts })
    else this.#end(attempt, { ...next, failures, error: messageOf(error) })
  }

  #tryAgain({ at, starts }: Row, ms: number): Outcome & { starts: number } {
    // The clock may have been set back since the run was due.
    return { due: Math.max(at, Math.ceil(this.#lease.clock.now() + ms)), starts: starts + 1 }
  }

  /** Ends a run that is not tried again. A timer that repeats goes on with its next run. */
  #fail(attempt: Attempt, error: Error, counts: Partial<Row> = {}): void {
    const { row } = attempt
    this.#end(attempt, this.#afterRun(row, messageOf(error)) ?? this.#asFailed({ ...row, ...counts }, error))
  }

  /** The next run of a timer that repeats; else null. @param error the message of the last failure */
  #afterRun(row: Row, error: string | null): Outcome | null {
    if (row.rule === null) return null
    try {
      const due = nextRun(JSON.parse(row.rule) as Rule, row.at)
      return due === null ? null : this.#nextRun(due, row.at, error)
    } catch (thrown) {
      return this.#asFailed(row, errorOf(thrown))
    }
  }

  #nextRun(due: number, last: number | null, error: string | null): Outcome {
    const id = this.#ids.next()
    return { ...FRESH, id, at: due, due, last, error }
  }

  #asFailed({ id, name, key, starts, failures, deaths }: Row, error: Error): Outcome {
    const { background, clock } = this.#lease
    background.report(error, { id, name, key: key ?? undefined, attempt: starts + 1 })
    const due = FAILED + Math.floor(clock.now())
    return { due, starts, failures, deaths, error: messageOf(error) }
  }

  /** Gives back timers that wait. */
  giveBack(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) this.#end(attempt, { due: attempt.row.due })
  }

  /** Stops a handler for a reason, or ends that. What waits is given back, also what a claim may bring that is under way. */
  async stop(handler: Handler, why: Stop, isSo: boolean): Promise<void> {
    const { stops, waiting } = handler
    if (stops.has(why) === isSo) return
    if (isSo) stops.add(why)
    else stops.delete(why)
    if (!handler.isActive) await this.#claims.busy
    if (!handler.isActive) return this.giveBack(waiting.slice(0))
    this.#claims.expect(handler.name, 0)
    handler.starting.set(waiting.at(0)?.row.due ?? Number.POSITIVE_INFINITY)
  }

  /** Ends an attempt in the database. Persists until that is stored. */
  #end(attempt: Attempt, outcome: Outcome | null): void {
    if (attempt.state === 'lost' || attempt.state === 'ends') return
    const { clock, background, held } = this.#lease
    held.to('ends', attempt)
    let wait = 0
    const item: Item<End, Ended> = {
      send: () => [this.#endOf(attempt, outcome)],
      apply: ([ended], [end], owner) => {
        // The statement may have come late. What is held then is known to be this process's own.
        if (attempt.state === 'ends' && attempt.claimed === undefined && owner !== this.#lease.owner)
          this.#commits.add(item)
        else this.#stored(attempt, end!, ended!)
      },
      fail: (error) => {
        // Its row is free.
        if (this.#lease.hasLeft) return
        background.report(error)
        wait = longerWait(wait)
        clock.after(wait, () => this.#commits.add(item))
      },
    }
    this.#commits.add(item)
  }

  /** Who holds it is decided when it is sent. */
  #endOf({ row, from, state }: Attempt, outcome: Outcome | null): End {
    const { id, name, key, at, due, last, starts, failures, deaths, watched, error } = row
    const end = { id, name, due, key, from, newId: this.#ids.next() }
    // The row may be this process's own again, by a claim. So this finds none.
    if (state === 'lost') return { ...end, due: -1, next: null }
    if (outcome === null) return { ...end, next: null }
    const owner = outcome.watched === 2 ? this.#lease.owner : this.#claims.holder(name, outcome.due)
    const same = { id, at, last, starts, failures, deaths, watched: Math.min(watched, 1), error }
    return { ...end, next: { ...same, ...outcome, owner } }
  }

  /** An end was stored, or its row was not found as it was. */
  #stored(attempt: Attempt, { next }: End, ended: Ended): void {
    const { row, claimed, state } = attempt
    if (state === 'lost') return
    this.#lease.held.drop(attempt)
    // The answer of a claim has come first: this process owns the next attempt already.
    if (claimed !== undefined) this.#claims.stored(claimed, this.#lease.owner)
    else if (ended === null) return
    else if (ended > 0) this.#claims.stored({ ...row, due: ended }, 0)
    else if (next !== null) this.#claims.stored({ ...row, ...next }, next.owner)
  }
}
