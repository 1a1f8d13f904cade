/** The timers that this process owns, from the claim to the end of the attempt. Each waits on the clock for its due time. */
import type { Clock } from './clock.js'
import type { Row } from './store.js'

export interface Attempt {
  /** Another one, with a greater fence, if the row was claimed anew while the handler ran. */
  row: Row
  /** The number under which this process owns it. */
  owner: number
  /** `ends`: the handler has ended, and the database does not know it yet. `lost`: the timer is not this process's any more. */
  state: 'waits' | 'runs' | 'ends' | 'lost'
  /** Its due time on the clock; undefined: it is due. */
  timer: number | undefined
  /** Why its handler is to stop. */
  reason: Error | undefined
  /** Made when the handler asks for its signal, which few do. */
  controller: AbortController | undefined
}

/** The signal of the handler of an attempt. */
export function signalOf(attempt: Attempt): AbortSignal {
  if (attempt.controller === undefined) {
    attempt.controller = new AbortController()
    if (attempt.reason !== undefined) attempt.controller.abort(attempt.reason)
  }
  return attempt.controller.signal
}

/** Aborts the signal. The first reason counts. */
export function abort(attempt: Attempt, reason: Error): void {
  attempt.reason ??= reason
  attempt.controller?.abort(attempt.reason)
}

export class Held {
  readonly #clock: Clock
  readonly #onDue: (attempt: Attempt) => void
  readonly #attempts = new Map<number, Attempt>()
  /** For each statement that is under way: the rows that were lost meanwhile. */
  readonly #watching = new Set<Set<number>>()
  #waits = 0
  #ends = 0
  #whenEmpty: (() => void)[] = []
  /** No attempt that waits is due later. */
  #latest = 0

  constructor(clock: Clock, onDue: (attempt: Attempt) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** How many wait. */
  get waits(): number {
    return this.#waits
  }

  /** How many have ended, and are not acknowledged yet. */
  get ends(): number {
    return this.#ends
  }

  get latest(): number {
    return this.#latest
  }

  find(id: number): Attempt | undefined {
    return this.#attempts.get(id)
  }

  all(): Attempt[] {
    return [...this.#attempts.values()]
  }

  waiting(): Attempt[] {
    return this.all().filter(({ state }) => state === 'waits')
  }

  /** Nothing is held that was lost while the work ran: its rows come from a statement that may be older than the news of the loss. */
  async watching(work: () => Promise<void>): Promise<void> {
    const lost = new Set<number>()
    this.#watching.add(lost)
    try {
      await work()
    } finally {
      this.#watching.delete(lost)
    }
  }

  /** A row was replaced or cleared, or is another's. @returns the attempt, if its handler has started */
  gone(id: number): Attempt | undefined {
    for (const lost of this.#watching) lost.add(id)
    const attempt = this.#attempts.get(id)
    if (attempt === undefined) return undefined
    const hasStarted = attempt.state !== 'waits'
    this.lose(attempt)
    return hasStarted ? attempt : undefined
  }

  /** Whether the handler of a row has ended, and the store may not have known that when the answer was made that is under way. */
  isEnding(id: number): boolean {
    if (this.#attempts.get(id)?.state === 'ends') return true
    for (const lost of this.#watching) if (lost.has(id)) return true
    return false
  }

  add(row: Row, owner: number): void {
    for (const lost of this.#watching) if (lost.has(row.id)) return
    const attempt: Attempt = {
      row,
      owner,
      state: 'waits',
      timer: undefined,
      reason: undefined,
      controller: undefined,
    }
    this.#attempts.set(row.id, attempt)
    this.#waits++
    this.#latest = Math.max(this.#latest, row.due)
    this.plan(attempt)
  }

  /** Lets an attempt wait for its due time. Also what is due already goes over the wheel, which runs as much as fits into its budget. */
  plan(attempt: Attempt): void {
    attempt.timer = this.#clock.at(attempt.row.due, this.#wake, attempt)
  }

  /** One function for all: a timer that is held is to need little memory. */
  readonly #wake = (attempt: Attempt): void => {
    if (attempt.row.due > this.#clock.now()) return this.plan(attempt)
    attempt.timer = undefined
    this.#onDue(attempt)
  }

  /** The clock was set: all that waits does so for a wrong time. */
  planAgain(): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.timer === undefined) continue
      this.#clock.clear(attempt.timer)
      this.plan(attempt)
    }
  }

  /** An attempt no longer waits. */
  to(state: 'runs' | 'ends' | 'lost', attempt: Attempt): void {
    if (attempt.timer !== undefined) this.#clock.clear(attempt.timer)
    attempt.timer = undefined
    if (attempt.state === 'waits') this.#waits--
    if (attempt.state === 'ends') this.#ends--
    if (state === 'ends') this.#ends++
    attempt.state = state
  }

  /** Forgets an attempt that has ended, or whose timer is not this process's any more. @param isRemoved whether its row is gone */
  lose(attempt: Attempt, isRemoved = false): void {
    this.to('lost', attempt)
    const { id } = attempt.row
    if (isRemoved) for (const lost of this.#watching) lost.add(id)
    if (this.#attempts.get(id) === attempt) this.#attempts.delete(id)
    if (this.#attempts.size === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Fulfilled when nothing is held, runs or ends. */
  whenEmpty(): Promise<void> {
    return this.#attempts.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Removes the later half of those that wait and are due after a time. */
  shed(due: number): Attempt[] {
    const waiting = this.waiting().sort((a, b) => a.row.due - b.row.due)
    const later = waiting.slice(Math.floor(waiting.length / 2)).filter(({ row }) => row.due > due)
    for (const attempt of later) this.lose(attempt)
    this.#latest = waiting[waiting.length - later.length - 1]?.row.due ?? 0
    return later
  }
}
