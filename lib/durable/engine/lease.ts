/**
 * The lease of this process, and the number under which it owns rows. The number changes when another process may have taken rows over, and
 * when an answer was lost: docs/contributing/durable.md says how. Nothing is started without a lease.
 */
import { outside } from '../common/context.js'
import { closedStore, DurableError, withoutDoubt } from '../common/errors.js'
import { findPlace, hasEnded } from '../common/place.js'
import { LONGEST_LEASE, ownerOf, type Peer, type Ref, type Store } from '../common/store.js'
import type { Background } from './background.js'
import type { Clock } from './clock.js'

/** What certainly changed nothing. */
const CERTAIN = new Set<string>(['ERR_DURABLE_UNAVAILABLE', 'ERR_DURABLE_STORE', 'ERR_DURABLE_CLOSED'])

interface LeaseEvents {
  /** The rows that are held. */
  held(): Ref[]
  /** The lease has ended: what waits must be forgotten. */
  lapsed(): void
  /** There is a new number. Some of the rows that were held are not owned. */
  joined(lost: string[]): void
  /** The lease was renewed, or rows of other processes are free. */
  renewed(): void
}

export class Lease {
  /** The number under which this process owns rows; 0: it has none now. */
  owner = 0
  /** Other processes that live, as far as is known. */
  others = 0
  readonly #store: Store
  readonly #clock: Clock
  readonly #background: Background
  readonly #options: { lease: number; horizon: number }
  readonly #events: LeaseEvents
  readonly #place = findPlace()
  #process = 0
  /** The end, on the clock of the store and on one that cannot be set. */
  #until = 0
  #end = 0
  #joining: Promise<void> | undefined
  /** How often the lease has ended. */
  #lapses = 0
  #underWay = 0
  #hasEnded = false
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
    // A lease that ends too late counts as ended for others: see store.ts. For this process a little earlier.
    const isShort = left <= this.#options.lease + LONGEST_LEASE / 2
    return left > 0 && isShort && this.#clock.monotonic() < this.#end
  }

  get isIdle(): boolean {
    return this.#underWay === 0 && this.#joining === undefined
  }

  /** Sends a statement under the number of this process. If the answer is lost, the process goes on under another number. */
  async ask<T>(send: (owner: number) => Promise<T>): Promise<{ answer: T; owner: number }> {
    if (this.owner === 0) await withoutDoubt(this.#ensure())
    const { owner } = this
    this.#underWay++
    try {
      return { answer: await send(owner), owner }
    } catch (error) {
      const isCertain = error instanceof DurableError && CERTAIN.has(error.code)
      if (!isCertain && owner === this.owner) this.#renumber()
      throw error
    } finally {
      this.#underWay--
    }
  }

  async join(): Promise<void> {
    const { lease, horizon } = this.#options
    // Before the statement is sent: the lease in the store then ends no earlier.
    const end = this.#clock.monotonic() + lease
    const lapses = this.#lapses
    const held = this.#events.held()
    // With the number of an epoch, it has 52 bits.
    const process = this.#process || 1 + Math.floor(Math.random() * (2 ** 36 - 1))
    const isNew = process !== this.#process
    const args = { process, isNew, lease, horizon, place: this.#place, held }
    const joined = await this.#store.call('join', args)
    // Another process has the number.
    if (joined === null) return this.join()
    this.#process = process
    // Of what it has got, it has forgotten a part meanwhile.
    if (lapses !== this.#lapses) return this.join()
    this.owner = ownerOf(this.#process, joined.epoch)
    this.#until = joined.until
    this.#end = end
    this.#events.joined(joined.lost)
    this.#met(joined.others)
  }

  /** While the number changes, an answer to a statement of the former one gives nothing to hold. */
  #renumber(): void {
    this.owner = 0
    this.#background.run(() => this.#background.persist(() => this.#ensure()))
  }

  async #ensure(): Promise<void> {
    if (this.#hasEnded) throw closedStore()
    if (this.owner !== 0) return
    this.#joining ??= outside(() => this.join()).finally(() => {
      this.#joining = undefined
    })
    await this.#joining
  }

  /** Ends the lease. */
  async leave(): Promise<void> {
    const { owner } = this
    this.owner = 0
    this.#hasEnded = true
    if (owner !== 0) await this.#store.call('bury', { processes: [this.#process] })
  }

  async beat(): Promise<void> {
    if (!this.isAlive) return this.lapse()
    if (this.owner === 0) return
    const end = this.#clock.monotonic() + this.#options.lease
    const { lease } = this.#options
    const { answer, owner } = await this.ask((owner) => this.#store.call('beat', { owner, lease }))
    if (owner !== this.owner) return
    // A lease that has ended while the answer was under way may be another's by now.
    if (answer.until === null || !this.isAlive) return this.lapse()
    this.#until = answer.until
    this.#end = end
    this.#events.renewed()
    this.#met(answer.others)
  }

  /** Ends the leases of processes of the same machine that do not run any more, and awaits the first end of another. */
  #met(others: readonly Peer[]): void {
    this.others = others.length
    this.#awaitEnd(others.reduce((first, { until }) => Math.min(first, until), Infinity))
    const processes = others.filter((one) => hasEnded(one, this.#place)).map(({ process }) => process)
    if (processes.length === 0) return
    this.#background.run(async () => {
      await this.#store.call('bury', { processes })
      this.#events.renewed()
    })
  }

  /** Looks at once when the lease of another process has ended: it has died, or its timers are free for another reason. */
  #awaitEnd(time: number): void {
    if (this.#otherEnd !== undefined) this.#clock.clear(this.#otherEnd)
    const look = (): void => {
      this.#otherEnd = undefined
      if (!this.#background.isEnded) this.#events.renewed()
    }
    this.#otherEnd = time === Infinity ? undefined : this.#clock.at(time + 1, look, undefined)
  }

  lapse(): void {
    if (this.#until === 0) return
    this.#until = 0
    this.#lapses++
    this.#events.lapsed()
    const message = 'the lease of this process has ended: its timers run elsewhere, or here under a new lease'
    this.#background.report(new DurableError('ERR_DURABLE_LEASE', message))
    this.#renumber()
  }
}
