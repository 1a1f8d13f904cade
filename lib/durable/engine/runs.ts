/** Starts timers that are due, and waits for their handlers. */
import { callOutside } from '../common/context.js'
import { DurableError, errorOf } from '../common/errors.js'
import { setImmediate } from '../common/time.js'
import type { DurableRun } from '../common/types.js'
import { type Attempt, current, Run } from './attempt.js'
import type { Ends } from './ends.js'
import type { Handler } from './handler.js'
import type { Lease } from './lease.js'

/** For how many milliseconds handlers are started in one turn of the event loop. */
const TURN = 3
/** A start that waits for no longer than this asks nobody, in milliseconds. */
const LITTLE = 2
/** The lateness of so many starts is kept. */
const STARTS = 1_000
/** How long a start waits for news, in milliseconds. */
const PATIENCE = 100
/** How old the news may be, in milliseconds: usually, and if the store tells of them at once. */
const AGE = 20
const TOLD_AGE = 1_000

/** Returns what plans the next start of a name. */
export function makeRuns(lease: Lease, ends: Ends): (handler: Handler) => void {
  const { clock, held, background } = lease
  /** The last reading of news, and when it began. */
  let heard: Promise<void> | undefined
  let heardAt = 0

  /** Plans the next start of a name: at once if something is due and may run. Gives back what may not run here. */
  function plan(handler: Handler): void {
    // It plans the next one itself.
    if (handler.isStarting) return
    const { waiting, due, running, options } = handler
    if (!handler.isActive) return ends.giveBack(waiting.slice(0))
    const next = waiting.at(due)
    if (next !== undefined) handler.starting.set(next.row.due)
    if (lease.others > 0) {
      // Another process may have room.
      const most = Math.max(0, options.concurrency * 2 - running.size)
      ends.giveBack(waiting.slice(most, due))
    }
    if (!handler.canStart) return
    handler.isStarting = true
    // Once in a turn, and in a turn of its own: handlers that end at once must not keep the event loop from all else.
    setImmediate(() => background.run(() => start(handler)))
  }

  /** Starts timers that are due, up to the concurrency of the handler. */
  async function start(handler: Handler): Promise<void> {
    try {
      // The answer tells the time of the database, too.
      if (unknownOf(handler) > LITTLE) await hear(AGE)
      else if (lease.others > 0) await hear(lease.isTold?.() ? TOLD_AGE : AGE)
      const end = clock.monotonic() + TURN
      while (handler.canStart && clock.monotonic() < end) {
        if (unknownOf(handler) > 0) break
        if (!lease.isAlive) return lease.lapse()
        const attempt = handler.waiting.at(0)!
        if (ends.refuses(attempt)) continue
        if (attempt.row.watched === 1) ends.noteStart(attempt)
        else run(attempt)
      }
    } finally {
      handler.isStarting = false
      const unknown = unknownOf(handler)
      if (unknown > 0) handler.starting.set(clock.now() + unknown)
      else plan(handler)
    }
  }

  /** Reads what others have replaced or cleared, unless that is known. Starts of all turns would cost a statement each. */
  async function hear(age: number): Promise<void> {
    const now = clock.monotonic()
    if (heard === undefined || now - heardAt > age) {
      heardAt = now
      // The database may be slow or locked: what is held starts all the same.
      const patience = new Promise<void>((resolve) => clock.after(PATIENCE, resolve))
      const news = lease.read().catch((error) => background.report(error))
      heard = Promise.race([news, patience])
    }
    await heard
  }

  /** How long the next timer waits until its time has come for certain: the database's is not known well. */
  function unknownOf({ waiting, canStart }: Handler): number {
    return canStart ? waiting.at(0)!.row.due - clock.least() : 0
  }

  function run(attempt: Attempt): void {
    const { row } = attempt
    const handler = held.handlerOf(attempt)
    const { running, lateness } = handler
    const { timeout } = handler.options
    held.to('runs', attempt)
    running.add(attempt)
    attempt.start = clock.monotonic()
    attempt.from = clock.now()
    if (row.starts === 0 && lateness.push(attempt.from - row.at) > STARTS) lateness.shift()
    const timer = clock.after(timeout, () => {
      const error = timedOut(attempt, timeout)
      // Before the abort, at which the handler may reject.
      ended(attempt, error)
      attempt.abort(error)
    })
    const end = (error?: Error): void => {
      clock.clear(timer)
      ended(attempt, error)
    }
    new Promise((resolve) => {
      const run = new Run(attempt) as DurableRun as never
      resolve(callOutside((one) => current.run(attempt, handler.run, one), run))
    }).then(
      () => end(),
      (thrown) => end(errorOf(thrown)),
    )
  }

  function ended(attempt: Attempt, failure?: Error): void {
    const handler = held.handlerOf(attempt)
    // After its timeout.
    if (!handler.running.has(attempt)) return
    const { timeout } = handler.options
    // One that has blocked the event loop has not let the timer of its timeout run.
    const isLate = clock.monotonic() - attempt.start > timeout
    held.stop(attempt)
    ends.ended(attempt, failure ?? (isLate ? timedOut(attempt, timeout) : undefined))
    plan(handler)
  }

  return plan
}

const timedOut = ({ row }: Attempt, timeout: number): DurableError =>
  new DurableError(
    'ERR_DURABLE_TIMEOUT',
    `the handler of ${JSON.stringify(row.name)} has taken more than ${timeout} ms`,
  )
