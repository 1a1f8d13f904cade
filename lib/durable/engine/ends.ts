/** What becomes of a timer that has run, is left out or is given back: its row goes, or is due again. */
import { DurableError, errorOf, messageOf } from '../common/errors.js'
import { FAILED, FRESH } from '../common/rows.js'
import type { End, Ended, Next, Row } from '../common/store.js'
import type { Attempt } from './attempt.js'
import type { Claims } from './claims.js'
import { type Item, makeGroupCommit } from './group-commit.js'
import type { Lease } from './lease.js'
import { insteadOf, nextRun, type Rule, readRule } from './rule.js'

/** What a row becomes, but for what stays the same, and for who holds it. */
type Outcome = Partial<Omit<Next, 'owner'>> & { due: number }

export type Ends = ReturnType<typeof makeEnds>

export function makeEnds(lease: Lease, claims: Claims) {
  const { clock, background, held, newId } = lease
  /** Of their own, so that acknowledgements and changes do not wait for one another. */
  const commits = makeGroupCommit(lease, 'end', (owner, ends: End[], isWhole) => ({ owner, ends, isWhole }))

  /** Whether a timer does not start, because it is late or has ended too many processes. Then it has ended. */
  function refuses(attempt: Attempt): boolean {
    const { row } = attempt
    if (row.deaths >= held.handlerOf(attempt).options.deaths) {
      const message = `at least ${row.deaths} processes have ended while the handler of ${JSON.stringify(row.name)} ran`
      const error = new DurableError('ERR_DURABLE_DEATHS', message)
      background.report(error, attempt.source)
      fail(attempt, error)
      return true
    }
    // It is never late, or it has certainly started before.
    if (row.rule === null || row.failures + row.deaths > 0 || row.starts > (row.watched > 0 ? 1 : 0))
      return false
    try {
      const due = insteadOf(readRule(row.rule), row, clock.now())
      if (due === undefined) return false
      end(attempt, due === null ? null : runAt(due, row.last, null))
    } catch (thrown) {
      // For example because the package for cron expressions is missing.
      failed(attempt, errorOf(thrown))
    }
    return true
  }

  /** Stores the start of a row that a process may have started before it ended. When that is stored, the timer starts. */
  function noteStart(attempt: Attempt): void {
    held.handlerOf(attempt).running.add(attempt)
    end(attempt, { due: attempt.row.due, watched: 2 })
  }

  /** A handler has ended. @param thrown why it has failed */
  function ended(attempt: Attempt, thrown: Error | undefined): void {
    const { again, verdict, row, reason, state } = attempt
    const error = thrown ?? verdict
    if (error !== undefined && reason !== undefined && state !== 'lost') giveUp(attempt)
    else if (error !== undefined) failed(attempt, error)
    else if (again !== undefined) end(attempt, tryAgain(row, again))
    else {
      held.handlerOf(attempt).ran++
      end(attempt, afterRun(attempt, null))
    }
  }

  /** This process has aborted an attempt, or does not wait for it. That is no failure. */
  function giveUp(attempt: Attempt): void {
    end(attempt, tryAgain(attempt.row, 0))
  }

  function failed(attempt: Attempt, error: Error): void {
    const { row, verdict, again } = attempt
    const handler = held.handlerOf(attempt)
    handler.failures++
    // A handler that rejects with the reason of its signal tells nothing new.
    if (error !== attempt.reason) background.report(error, attempt.source)
    const failures = row.failures + 1
    const { retries = handler.options.retries } = readRule(row.rule)
    const next = tryAgain(row, again ?? handler.waitBefore(failures))
    if (verdict !== undefined || failures > retries) fail(attempt, error, { failures, starts: next.starts })
    else end(attempt, { ...next, failures, error: messageOf(error) })
  }

  function tryAgain({ at, starts }: Row, ms: number): Outcome & { starts: number } {
    // The clock may have been set back since the run was due.
    return { due: Math.max(at, Math.ceil(clock.now() + ms)), starts: starts + 1 }
  }

  /** Ends a run that is not tried again. A timer that repeats goes on with its next run. */
  function fail(attempt: Attempt, error: Error, counts: Partial<Row> = {}): void {
    end(attempt, afterRun(attempt, messageOf(error)) ?? { ...counts, ...asFailed(error) })
  }

  /** The next run of a timer that repeats; else null. @param error the message of the last failure */
  function afterRun(attempt: Attempt, error: string | null): Outcome | null {
    const { at, rule } = attempt.row
    if (rule === null) return null
    try {
      const due = nextRun(JSON.parse(rule) as Rule, at)
      return due === null ? null : runAt(due, at, error)
    } catch (thrown) {
      const failure = errorOf(thrown)
      background.report(failure, attempt.source)
      return asFailed(failure)
    }
  }

  const runAt = (due: number, last: number | null, error: string | null): Outcome => {
    return { ...FRESH, id: newId(), at: due, due, last, error }
  }

  const asFailed = (error: Error): Outcome => ({
    due: FAILED + Math.floor(clock.now()),
    error: messageOf(error),
  })

  /** Gives back timers that wait. */
  function giveBack(attempts: readonly Attempt[]): void {
    for (const attempt of attempts) end(attempt, { due: attempt.row.due })
  }

  /** Ends an attempt in the database. Persists until that is stored. */
  function end(attempt: Attempt, outcome: Outcome | null): void {
    if (attempt.state === 'lost' || attempt.state === 'ends') return
    held.to('ends', attempt)
    background.persist(
      () =>
        new Promise((resolve, reject) => {
          const item: Item<End, Ended> = {
            send: () => [endOf(attempt, outcome)],
            apply([ended], [end], owner) {
              // Under a former number of the process, it may have done nothing. The timer is still the process's, so it is sent again.
              if (attempt.state === 'ends' && owner !== lease.owner) return commits.add(item)
              stored(attempt, end!, ended!)
              resolve()
            },
            fail: reject,
          }
          commits.add(item)
        }),
    )
  }

  /** Who holds it is decided when it is sent. */
  function endOf({ row, from, state }: Attempt, outcome: Outcome | null): End {
    const { id, name, key, at, due, last, starts, failures, deaths, watched, error } = row
    const end = { id, name, due, key, from, newId: newId() }
    // The row may be this process's own again, by a claim. So this finds none.
    if (state === 'lost') return { ...end, due: -1, next: null }
    if (outcome === null) return { ...end, next: null }
    const owner = outcome.watched === 2 ? lease.owner : claims.holder(name, outcome.due)
    const same = { id, at, last, starts, failures, deaths, watched: Math.min(watched, 1), error }
    return { ...end, next: { ...same, ...outcome, owner } }
  }

  /** An end was stored, or its row was not found as it was. */
  function stored(attempt: Attempt, { next }: End, ended: Ended): void {
    const { row, state } = attempt
    if (state === 'lost') return
    held.drop(attempt)
    if (ended === null) return
    if (ended > 0) claims.stored({ ...row, due: ended }, 0)
    else if (next !== null) claims.stored({ ...row, ...next }, next.owner)
  }

  return { commits, refuses, noteStart, ended, giveUp, giveBack }
}
