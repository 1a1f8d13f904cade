/** The handler of a name: what this process holds of the name, the queue of its due timers, and those that run. */
import { channel } from 'node:diagnostics_channel'
import { callOutside } from '../common/context.js'
import { DurableError, errorOf, outOfRange } from '../common/errors.js'
import { earlier, type Position, type Row, START } from '../common/store.js'
import { HostDate } from '../common/time.js'
import type { DurableAttemptMessage, DurableHandler, DurableRun } from '../common/types.js'
import { type Attempt, abort, current, signalOf } from './attempt.js'
import type { Clock } from './clock.js'

export interface HandlerOptions {
  concurrency: number
  prefetch: number
  timeout: number
  retries: number
  backoff: number
  deaths: number
}

const HOUR = 3_600_000
const YEARS_100 = 100 * 366 * 24 * HOUR
/** Lateness of this many starts is kept. */
const STARTS = 1_000
/** Bytes that a process holds of a name, but for the rows of one claim that are due. */
const MOST_BYTES = 2 ** 24

const attempts = channel('timeout-wheel:durable')
const publish = (message: DurableAttemptMessage): void => attempts.publish(message)

/** What an attempt is called in messages. */
export const attemptOf = ({ name, key, id, starts }: Row) => ({
  name,
  key: key ?? undefined,
  id,
  attempt: starts + 1,
})

const timedOut = ({ name }: Row, timeout: number): DurableError =>
  new DurableError(
    'ERR_DURABLE_TIMEOUT',
    `the handler of ${JSON.stringify(name)} has taken more than ${timeout} ms`,
  )

type Ended = (handler: Handler, attempt: Attempt, error: Error | undefined) => void

export class Handler {
  options: HandlerOptions
  readonly lateness: number[] = []
  /** What is held and has not started, and what has ended without being acknowledged. */
  held = 0
  bytes = 0
  /** Those of them that are due, and those that were due already when they came, and still wait on the clock. */
  due = 0
  coming = 0
  ends = 0
  /** Attempts that have succeeded and failed. */
  ran = 0
  failures = 0
  /** Up to here, all free rows were claimed, but for those after `back`, which can be later. See claims.ts. */
  low: Position = START
  back: Position | undefined = START
  /** Whether more can be claimed as soon as there is room. */
  isCut = false
  plan: { id: number; time: number } | undefined
  /** Starts and holds nothing: `off`, or `pause` in this process, or in all. */
  isOff = false
  isPaused = false
  isPausedByAll = false
  /** Whether the start of timers of this queue is planned or under way. */
  isStarting = false
  running = 0
  /** Timers whose starts are being stored. */
  noting = 0
  #run: DurableHandler<never>
  /** An attempt that has started leaves undefined here. */
  #queue: (Attempt | undefined)[] = []
  /** The index of the first in the queue. */
  #first = 0
  #starts = 0
  #whenIdle: (() => void)[] = []

  constructor(run: DurableHandler<never>, options: HandlerOptions) {
    this.#run = run
    this.options = options
  }

  /** Free rows lie after this position. */
  get position(): Position {
    return this.back === undefined ? this.low : earlier(this.back, this.low)
  }

  /** Handles the name again, by another function. */
  renew(by: Handler): void {
    this.#run = by.#run
    this.options = by.options
    this.isOff = false
  }

  get isActive(): boolean {
    return !this.isOff && !this.isPaused && !this.isPausedByAll
  }

  /** Whether a row that is set may be held here, with so many others that will be held. */
  hasRoomBeside(others: number): boolean {
    if (!this.isActive) return false
    const { prefetch } = this.options
    return this.held + others < prefetch && this.bytes < MOST_BYTES && this.ends <= prefetch
  }

  /** How many rows may be claimed before they are due, and how many bytes. None until half of what was held has started. */
  get room(): { most: number; bytes: number } {
    const { prefetch } = this.options
    const isHalfFull = this.held * 2 > prefetch || this.bytes * 2 > MOST_BYTES || this.ends > prefetch
    return { most: isHalfFull ? 0 : prefetch - this.held, bytes: MOST_BYTES - this.bytes }
  }

  /** How many due timers more could start at once. */
  get slots(): number {
    const { concurrency, prefetch } = this.options
    if (this.ends > concurrency + prefetch) return 0
    return concurrency - this.running - this.due - this.coming
  }

  /** Adds a due timer, after those that are due at the same time. O(1) in the usual order. */
  enqueue(attempt: Attempt): void {
    const queue = this.#queue
    const { due } = attempt.row
    let from = this.#first
    let to = queue.length
    if (from < to && due >= queue[to - 1]!.row.due) from = to
    while (from < to) {
      const middle = (from + to) >>> 1
      if (due < queue[middle]!.row.due) to = middle
      else from = middle + 1
    }
    if (from === queue.length) queue.push(attempt)
    else queue.splice(from, 0, attempt)
  }

  /** Whether a timer is due and may run. Forgets those that were lost or given back while they waited. */
  get canStart(): boolean {
    while (this.#first < this.#queue.length && this.#queue[this.#first]!.state !== 'due') this.#pass()
    const { concurrency } = this.options
    return this.isActive && this.running + this.noting < concurrency && this.#first < this.#queue.length
  }

  /** The next timer of the queue. */
  get next(): Attempt {
    return this.#queue[this.#first]!
  }

  take(): Attempt {
    const attempt = this.next
    this.#pass()
    return attempt
  }

  #pass(): void {
    this.#queue[this.#first++] = undefined
    if (this.#first * 2 < this.#queue.length) return
    this.#queue = this.#queue.slice(this.#first)
    this.#first = 0
  }

  /** Milliseconds before a timer is tried again that has failed this many times. */
  waitBefore(failures: number): number {
    const wait = Math.min(this.options.backoff * 2 ** (failures - 1), Math.max(HOUR, this.options.backoff))
    return wait * (1 - Math.random() / 2)
  }

  /** Runs a timer. Calls back once when the handler has ended, with its error, or has taken too long. */
  run(attempt: Attempt, clock: Clock, ended: Ended): void {
    attempt.start = clock.monotonic()
    attempt.from = clock.now()
    attempt.lateness = attempt.from - attempt.row.at
    this.lateness[this.#starts++ % STARTS] = attempt.lateness
    this.running++
    let result: unknown
    try {
      const run = new Run(attempt) as DurableRun as never
      result = callOutside((one) => current.run(attempt, this.#run, one), run)
    } catch (thrown) {
      return this.#end(attempt, attempt.row, clock, ended, errorOf(thrown))
    }
    // Most handlers return a promise. The end of others needs none.
    if (result === null || (typeof result !== 'object' && typeof result !== 'function'))
      this.#end(attempt, attempt.row, clock, ended)
    else this.#await(result, attempt, clock, ended)
  }

  #await(result: object, attempt: Attempt, clock: Clock, ended: Ended): void {
    // Another one may replace it meanwhile.
    const { row } = attempt
    let timer: number | undefined
    let hasEnded = false
    const end = (error?: Error): void => {
      if (hasEnded) return
      hasEnded = true
      if (timer !== undefined) clock.clear(timer)
      this.#end(attempt, row, clock, ended, error)
    }
    const { timeout } = this.options
    if (timeout !== Number.POSITIVE_INFINITY) {
      timer = clock.after(attempt.start + timeout - clock.monotonic(), () => {
        const error = timedOut(row, timeout)
        // Before the abort, at which the handler may reject.
        end(error)
        abort(attempt, error)
      })
    }
    new Promise((resolve) => resolve(result)).then(
      () => end(),
      (thrown) => end(errorOf(thrown)),
    )
  }

  #end(attempt: Attempt, row: Row, clock: Clock, ended: Ended, failure?: Error): void {
    const { timeout } = this.options
    // One that has blocked the event loop has not let the timer of its timeout run.
    const error =
      failure ?? (clock.monotonic() - attempt.start > timeout ? timedOut(row, timeout) : undefined)
    this.running--
    if (this.running === 0 && this.#whenIdle.length > 0)
      for (const resolve of this.#whenIdle.splice(0)) resolve()
    if (attempts.hasSubscribers) {
      const { lateness } = attempt
      const duration = clock.monotonic() - attempt.start
      callOutside(publish, { ...attemptOf(row), lateness, duration, error })
    }
    ended(this, attempt, error)
  }

  /** Fulfilled when no handler runs. */
  whenIdle(): Promise<void> {
    return this.running === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenIdle.push(resolve))
  }
}

/** What a handler gets. A class, because an object with a getter of its own takes three times the memory, and three times as long to make. */
class Run implements DurableRun {
  readonly name: string
  readonly key: string | undefined
  readonly data: unknown
  readonly due: DurableRun['due']
  readonly attempt: number
  readonly id: string
  readonly #attempt: Attempt

  constructor(attempt: Attempt) {
    const { name, key, data, at, starts, id } = attempt.row
    this.name = name
    this.key = key ?? undefined
    this.data = data === null ? undefined : JSON.parse(data)
    this.due = new HostDate(at)
    this.attempt = starts + 1
    this.id = id
    this.#attempt = attempt
  }

  get signal(): AbortSignal {
    return signalOf(this.#attempt)
  }

  retryIn(ms: number): void {
    if (!(ms >= 0 && ms <= YEARS_100)) throw outOfRange('ms', `a number from 0 to ${YEARS_100}`, ms)
    this.#attempt.again = ms
  }

  fail(reason: unknown): void {
    this.#attempt.verdict = errorOf(reason)
  }
}
