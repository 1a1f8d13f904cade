/**
 * The lease of this process: under its number it owns rows. While the lease lasts, no other process can claim them. After that, others
 * may run them, and the number is never used again. So nothing is started without a lease, and what was held under a lapsed lease is
 * forgotten.
 */

import { DurableError } from '../common/errors.js'
import { LONGEST_LEASE, type Store } from '../common/store.js'
import type { Background } from './background.js'
import type { Clock } from './clock.js'

interface LeaseEvents {
  /** All that is held must be forgotten. */
  lapsed(): void
  /** The lease was prolonged, or there is a new number. */
  begun(): void
}

export class Lease {
  /** The number of this process; 0: it has none. */
  number = 0
  /** Other processes that live, as far as is known. */
  others = 0
  readonly #store: Store
  readonly #clock: Clock
  readonly #background: Background
  readonly #options: { lease: number; horizon: number }
  readonly #events: LeaseEvents
  /** The end, on the clock of the store and on one that cannot be set. */
  #until = 0
  #end = 0
  /** The timer for the end of another process's lease. */
  #otherEnd: number | undefined

  constructor(
    store: Store,
    clock: Clock,
    background: Background,
    options: { lease: number; horizon: number },
    events: LeaseEvents,
  ) {
    this.#store = store
    this.#clock = clock
    this.#background = background
    this.#options = options
    this.#events = events
  }

  /** By two clocks: one can be set, the other stops while the machine sleeps. */
  get isAlive(): boolean {
    const left = this.#until - this.#clock.now()
    // A lease that ends too late counts as lapsed for others: see store.ts. For this process a little earlier.
    const isShort = left <= this.#options.lease + LONGEST_LEASE / 2
    return this.number !== 0 && left > 0 && isShort && this.#clock.monotonic() < this.#end
  }

  async join(): Promise<void> {
    const { lease, horizon } = this.#options
    // Before the statement is sent: the lease in the store then ends no earlier.
    const end = this.#clock.monotonic() + lease
    const { number, until } = await this.#store.join(lease, horizon)
    this.number = number
    this.#until = until
    this.#end = end
  }

  async beat(): Promise<void> {
    const { number } = this
    if (number === 0) return
    if (!this.isAlive) return this.lapse()
    const end = this.#clock.monotonic() + this.#options.lease
    const { until, others, nextEnd } = await this.#store.beat(number, this.#options.lease)
    if (number !== this.number) return
    // A lease that has ended while the answer was under way may be another's by now.
    if (until === undefined || !this.isAlive) return this.lapse()
    this.#until = until
    this.#end = end
    this.others = others
    this.#events.begun()
    this.#awaitEnd(nextEnd)
  }

  /** Looks at once when the lease of another process has ended: it has died, or its timers are free for another reason. */
  #awaitEnd(time: number | undefined): void {
    if (this.#otherEnd !== undefined) this.#clock.clear(this.#otherEnd)
    const look = (): void => {
      this.#otherEnd = undefined
      if (!this.#background.isEnded) this.#events.begun()
    }
    this.#otherEnd = time === undefined ? undefined : this.#clock.at(time + 1, look, undefined)
  }

  lapse(): void {
    if (this.number === 0) return
    this.number = 0
    this.#events.lapsed()
    const message =
      'the lease of this process has lapsed: its timers run elsewhere, or here under a new lease'
    this.#background.report(new DurableError('ERR_DURABLE_LEASE', message))
    this.renew()
  }

  /** Goes on under a new number, and ends the lease of the former one. */
  renew(): void {
    let former = this.number
    this.number = 0
    this.#background.run(async () => {
      await this.#background.persist(async () => {
        if (former !== 0) await this.#store.leave(former)
        former = 0
        await this.join()
      })
      this.#events.begun()
    })
  }
}
