/** The timers that this process owns. */
import { DurableError } from '../common/errors.js'
import { refOf } from '../common/rows.js'
import type { News, Ref, Row } from '../common/store.js'
import { Attempt } from './attempt.js'
import type { Handler } from './handler.js'

export class Held {
  readonly handlers = new Map<string, Handler>()
  /** For each statement that is under way: the rows that were lost meanwhile. Its answer may be older than the news of the loss. */
  readonly underWay = new Set<Set<string>>()
  readonly #all = new Map<string, Attempt>()
  #whenEmpty = (): void => {}

  get rows(): Ref[] {
    return [...this.#all.values()].map(({ row }) => refOf(row))
  }

  all(...states: Attempt['state'][]): Attempt[] {
    return [...this.#all.values()].filter(({ state }) => states.includes(state))
  }

  /** Those whose handlers run. They can go on after the timer was lost. */
  get running(): Attempt[] {
    return [...this.handlers.values()].flatMap(({ running }) => [...running])
  }

  handlerOf({ row }: Attempt): Handler {
    return this.handlers.get(row.name)!
  }

  /** Holds a row of which this process is the owner. */
  add(row: Row): void {
    for (const lost of this.underWay) if (lost.has(row.id)) return
    const former = this.#all.get(row.id)
    // A claim has brought a row again whose end was stored. The answer to that is still to come.
    if (former !== undefined) this.drop(former)
    const attempt = new Attempt(row)
    this.#all.set(row.id, attempt)
    this.handlerOf(attempt).enter(attempt)
  }

  to(state: Attempt['state'], attempt: Attempt): void {
    const handler = this.handlerOf(attempt)
    handler.leave(attempt)
    attempt.state = state
    handler.enter(attempt)
  }

  /** A handler has ended. */
  stop(attempt: Attempt): void {
    const handler = this.handlerOf(attempt)
    handler.running.delete(attempt)
    handler.lookForRoom()
    this.#look()
  }

  /** Forgets an attempt that has ended, or whose timer is not this process's any more. */
  drop(attempt: Attempt): void {
    const { id } = attempt.row
    if (this.#all.get(id) !== attempt) return
    // Its handler has not started.
    if (attempt.start === 0) this.handlerOf(attempt).running.delete(attempt)
    this.to('lost', attempt)
    this.#all.delete(id)
    this.#look()
  }

  /** A row was replaced or cleared, or it is another process's and can come back. */
  lose(id: string, isForGood = true): void {
    if (isForGood) for (const lost of this.underWay) lost.add(id)
    const attempt = this.#all.get(id)
    if (attempt === undefined) return
    const hasStarted = attempt.state !== 'waits'
    this.drop(attempt)
    const message = 'the timer was replaced or cleared while its handler ran'
    if (hasStarted && !attempt.isOwn) attempt.abort(new DurableError('ERR_DURABLE_REPLACED', message))
  }

  /** From this time on, the name may have free rows. */
  expect(name: string, due: number): void {
    this.handlers.get(name)?.expect(due)
  }

  /** Rows of any name may be free. */
  sweep(): void {
    for (const handler of this.handlers.values()) handler.sweep()
  }

  /** What other processes have told this one. */
  hear({ paused, messages }: News): void {
    for (const handler of this.handlers.values())
      handler.stop('paused everywhere', paused.includes(handler.name))
    for (const { name, id, due } of messages) {
      if (id !== '') this.lose(id)
      else if (name === '') this.sweep()
      else this.expect(name, due)
    }
  }

  /** Aborts what runs, because this process gives it up. That is no failure. */
  giveUp(reason: Error): Attempt[] {
    const { running } = this
    for (const attempt of running) attempt.abort(reason)
    return running
  }

  #look(): void {
    if (this.#all.size === 0 && this.running.length === 0) this.#whenEmpty()
  }

  /** Fulfilled when nothing is held, runs or ends. */
  whenEmpty(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenEmpty = resolve
      this.#look()
    })
  }
}
