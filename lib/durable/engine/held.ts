/**
 * The timers that this process owns, from the claim to the end of the attempt. In columns, each waits on the clock for its due time, and
 * after its handler has succeeded for its acknowledgement. In between it is an object, and while the acknowledgement is under way.
 */

import { callOutside } from '../common/context.js'
import type { Row } from '../common/store.js'
import type { Clock } from './clock.js'
import { Columns } from './columns.js'

/** A timer that is due. */
export interface Attempt {
  /** Another one, with a greater fence, if the row was claimed anew while the handler ran. */
  row: Row
  /** The number under which this process owns it. */
  owner: number
  /**
   * `waits`: until its handler can start it. `ends`: the handler has ended, and the database does not know it yet. `lost`: the timer is not
   * this process's any more.
   */
  state: 'waits' | 'runs' | 'ends' | 'lost'
  /** When its handler started, on a clock that cannot be set, and how late that was. */
  start: number
  lateness: number
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
  const { controller } = attempt
  if (controller !== undefined) callOutside((cause) => controller.abort(cause), attempt.reason)
}

export class Held {
  readonly #clock: Clock
  readonly #onDue: (attempt: Attempt) => void
  /** The attempts, and the places of the rows in columns. */
  readonly #all = new Map<number, Attempt | number>()
  readonly #rows = new Columns()
  /** How many timers are being set that are to be held. */
  reserved = 0
  /** For each statement that is under way: the rows that were lost meanwhile. */
  readonly #watching = new Set<Set<number>>()
  /** Attempts that wait. */
  #waits = 0
  /** Timers whose handlers have ended, and those among them that are in columns. */
  #ends = 0
  #parked = 0
  #whenEmpty: (() => void)[] = []
  /** Nothing that waits is due later. */
  #latest = 0

  constructor(clock: Clock, onDue: (attempt: Attempt) => void) {
    this.#clock = clock
    this.#onDue = onDue
  }

  /** How many wait. */
  get waits(): number {
    return this.#rows.size - this.#parked + this.#waits
  }

  /** How many have ended, and are not acknowledged yet. */
  get ends(): number {
    return this.#ends
  }

  get latest(): number {
    return this.#latest
  }

  /** The attempt of a row, if there is one: not of a row in columns. */
  find(id: number): Attempt | undefined {
    const found = this.#all.get(id)
    return typeof found === 'object' ? found : undefined
  }

  /** Attempts that do not wait. */
  started(): Attempt[] {
    return [...this.#all.values()].filter(
      (one) => typeof one === 'object' && one.state !== 'waits',
    ) as Attempt[]
  }

  /** The rows that a process of this number owns. */
  ownedBy(owner: number): Pick<Row, 'id' | 'fence'>[] {
    const owned: Pick<Row, 'id' | 'fence'>[] = []
    for (const one of this.#all.values()) {
      const isAttempt = typeof one === 'object'
      if ((isAttempt ? one.owner : this.#rows.owner(one)) !== owner) continue
      const { id, fence } = isAttempt ? one.row : this.#rows.identity(one)
      owned.push({ id, fence })
    }
    return owned
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
    const found = this.#all.get(id)
    if (found === undefined) return undefined
    const hasStarted = typeof found === 'object' && found.state !== 'waits'
    const attempt = this.#remove(found)
    return hasStarted ? attempt : undefined
  }

  /** Whether the handler of a row has ended, and the store may not have known that when the answer was made that is under way. */
  isEnding(id: number): boolean {
    const found = this.#all.get(id)
    if (typeof found === 'number' ? this.#rows.isParked(found) : found?.state === 'ends') return true
    for (const lost of this.#watching) if (lost.has(id)) return true
    return false
  }

  add(row: Row, owner: number): void {
    for (const lost of this.#watching) if (lost.has(row.id)) return
    const former = this.#all.get(row.id)
    if (former !== undefined) this.#remove(former)
    const place = this.#rows.add(row, owner)
    this.#all.set(row.id, place)
    this.#latest = Math.max(this.#latest, row.due)
    this.#plan(place)
  }

  /** A row was claimed. If it was held already, because the lease had lapsed, the attempt goes on under the new claim. */
  adopt(row: Row, owner: number): void {
    const found = this.#all.get(row.id)
    if (typeof found === 'object') {
      found.row = row
      found.owner = owner
    } else if (found !== undefined && this.#rows.isParked(found)) this.#rows.write(found, row, owner)
    else this.add(row, owner)
  }

  /** The handler of an attempt has succeeded: it waits for the acknowledgement in columns. */
  park(attempt: Attempt): void {
    this.to('ends', attempt)
    const place = this.#rows.add(attempt.row, attempt.owner)
    this.#rows.park(place)
    this.#parked++
    this.#all.set(attempt.row.id, place)
  }

  /** The attempt of a row that waits for its acknowledgement in columns. */
  unpark(id: number): Attempt | undefined {
    const found = this.#all.get(id)
    return typeof found === 'number' && this.#rows.isParked(found) ? this.#take(found) : undefined
  }

  /** Lets an attempt wait for its due time again. */
  postpone(attempt: Attempt): void {
    this.lose(attempt)
    this.add(attempt.row, attempt.owner)
  }

  /** A timer that is due already waits on the wheel too, because the wheel keeps to its budget. */
  #plan(place: number): void {
    this.#rows.setTimer(place, this.#clock.at(this.#rows.due(place), this.#wake, place))
  }

  /** One function for all: a timer that is held is to need little memory. */
  readonly #wake = (place: number): void => {
    if (this.#rows.due(place) > this.#clock.now()) return this.#plan(place)
    this.#onDue(this.#take(place))
  }

  /** Ends the wait of a row in columns, and makes an attempt of it. */
  #cancel(place: number): Attempt {
    if (!this.#rows.isParked(place)) this.#clock.clear(this.#rows.timer(place))
    return this.#take(place)
  }

  #take(place: number): Attempt {
    const row = this.#rows.row(place)
    const owner = this.#rows.owner(place)
    const isParked = this.#rows.isParked(place)
    this.#rows.remove(place)
    const attempt: Attempt = {
      row,
      owner,
      state: isParked ? 'ends' : 'waits',
      start: 0,
      lateness: 0,
      reason: undefined,
      controller: undefined,
    }
    this.#all.set(row.id, attempt)
    if (isParked) this.#parked--
    else this.#waits++
    return attempt
  }

  /** The clock was set: all that waits does so for a wrong time. */
  planAgain(): void {
    for (const one of this.#all.values()) {
      if (typeof one !== 'number' || this.#rows.isParked(one)) continue
      this.#clock.clear(this.#rows.timer(one))
      this.#plan(one)
    }
  }

  /** An attempt no longer waits. */
  to(state: 'runs' | 'ends' | 'lost', attempt: Attempt): void {
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
    if (this.#all.get(id) === attempt) this.#all.delete(id)
    if (this.#all.size === 0 && this.#whenEmpty.length > 0)
      for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Fulfilled when nothing is held, runs or ends. */
  whenEmpty(): Promise<void> {
    return this.#all.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  #waiting(): (Attempt | number)[] {
    return [...this.#all.values()].filter((one) =>
      typeof one === 'number' ? !this.#rows.isParked(one) : one.state === 'waits',
    )
  }

  #remove(one: Attempt | number): Attempt {
    const attempt = typeof one === 'number' ? this.#cancel(one) : one
    this.lose(attempt)
    return attempt
  }

  /** Removes all that wait. */
  loseWaiting(): Attempt[] {
    return this.#waiting().map((one) => this.#remove(one))
  }

  /** Removes the later half of those that wait and are due after a time. */
  shed(due: number): Attempt[] {
    const dueOf = (one: Attempt | number) => (typeof one === 'number' ? this.#rows.due(one) : one.row.due)
    const waiting = this.#waiting().sort((a, b) => dueOf(a) - dueOf(b))
    const later = waiting.slice(Math.floor(waiting.length / 2)).filter((one) => dueOf(one) > due)
    const last = waiting[waiting.length - later.length - 1]
    this.#latest = last === undefined ? 0 : dueOf(last)
    return later.map((one) => this.#remove(one))
  }
}
