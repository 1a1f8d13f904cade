/** The timers that this process owns. Those that are not due wait on the clock. */
import { type Ref, type Row, refOf } from '../common/store.js'
import { type Attempt, newAttempt } from './attempt.js'
import type { Clock } from './clock.js'
import type { Handler } from './handler.js'

const bytesOf = ({ data }: Row): number => data?.length ?? 0

export class Held {
  readonly #clock: Clock
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #onDue: (attempt: Attempt, handler: Handler) => void
  readonly #all = new Map<string, Attempt>()
  /** For each statement that is under way: the rows that were lost meanwhile. Its answer may be older than the news of the loss. */
  readonly watching = new Set<Set<string>>()
  #whenEmpty: (() => void)[] = []

  constructor(
    clock: Clock,
    handlers: ReadonlyMap<string, Handler>,
    onDue: (attempt: Attempt, handler: Handler) => void,
  ) {
    this.#clock = clock
    this.#handlers = handlers
    this.#onDue = onDue
  }

  has(attempt: Attempt): boolean {
    return this.#all.get(attempt.row.id) === attempt
  }

  get rows(): Ref[] {
    return [...this.#all.values()].map(({ row, claimed }) => refOf(claimed ?? row))
  }

  all(...states: Attempt['state'][]): Attempt[] {
    return [...this.#all.values()].filter(({ state }) => states.includes(state))
  }

  /** A row is gone for good, or is another's and can come back. @returns the attempt, if there is one */
  gone(id: string, isForGood: boolean): Attempt | undefined {
    if (isForGood) for (const lost of this.watching) lost.add(id)
    const attempt = this.#all.get(id)
    if (attempt !== undefined) this.lose(attempt)
    return attempt
  }

  /** Holds a row of which this process is the owner. */
  add(row: Row): void {
    for (const lost of this.watching) if (lost.has(row.id)) return
    const former = this.#all.get(row.id)
    if (former !== undefined) {
      former.claimed = row
      return
    }
    const attempt = newAttempt(row)
    attempt.wasDue = row.due <= this.#clock.now()
    this.#all.set(row.id, attempt)
    this.#count(attempt, 1)
    this.#plan(attempt)
  }

  /** A timer that is due already waits on the wheel too, because the wheel keeps to its budget. */
  #plan(attempt: Attempt): void {
    attempt.timer = this.#clock.at(attempt.row.due, this.#wake, attempt)
  }

  /** One function for all: a timer that is held is to need little memory. */
  readonly #wake = (attempt: Attempt): void => {
    if (attempt.row.due > this.#clock.now()) return this.#plan(attempt)
    this.#move('due', attempt)
    this.#onDue(attempt, this.#handlers.get(attempt.row.name)!)
  }

  /** The time of an attempt has not come for certain: the clock was set back after it was due, or the database's is not known well. */
  postpone(attempt: Attempt): void {
    attempt.wasDue = false
    this.#move('waits', attempt)
    const unknown = this.#clock.now() - this.#clock.least()
    attempt.timer = this.#clock.at(attempt.row.due + unknown, this.#wake, attempt)
  }

  /** The clock was set: all that waits does so for a wrong time. */
  planAgain(): void {
    for (const attempt of this.all('waits')) {
      this.#clock.clear(attempt.timer)
      this.#plan(attempt)
    }
  }

  #count({ state, row, wasDue }: Attempt, by: 1 | -1): void {
    const handler = this.#handlers.get(row.name)!
    if (state === 'waits' && wasDue) handler.coming += by
    if (state === 'due') handler.due += by
    if (state === 'waits' || state === 'due') {
      handler.held += by
      handler.bytes += by * bytesOf(row)
    } else if (state === 'ends') handler.ends += by
  }

  to(state: 'runs' | 'ends' | 'lost', attempt: Attempt): void {
    if (attempt.state === 'waits') this.#clock.clear(attempt.timer)
    this.#move(state, attempt)
  }

  #move(state: Attempt['state'], attempt: Attempt): void {
    this.#count(attempt, -1)
    attempt.state = state
    this.#count(attempt, 1)
  }

  /** Forgets an attempt that has ended, or whose timer is not this process's any more. */
  lose(attempt: Attempt): void {
    const { id } = attempt.row
    if (this.#all.get(id) !== attempt) return
    this.to('lost', attempt)
    this.#all.delete(id)
    if (this.#all.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Fulfilled when nothing is held, runs or ends. */
  whenEmpty(): Promise<void> {
    return this.#all.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Forgets all that has not started. */
  loseWaiting(): Attempt[] {
    const waiting = this.all('waits', 'due')
    for (const attempt of waiting) this.lose(attempt)
    return waiting
  }
}
