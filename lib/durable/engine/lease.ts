/**
 * The lease of this process, and the number under which it owns rows. The number changes when another process may have taken rows over, and
 * when an answer was lost: docs/contributing/durable.md says how. Nothing is started without a lease.
 */
import { outside } from '../common/context.js'
import { closedStore, DurableError, withoutDoubt } from '../common/errors.js'
import { findPlace, hasEnded } from '../common/place.js'
import {
  type Answer,
  type Args,
  LONGEST_LEASE,
  type Method,
  type News,
  type Peer,
  type Store,
} from '../common/store.js'
import type { Background } from './background.js'
import { Alarm, type Clock } from './clock.js'
import type { Held } from './held.js'

/** What certainly changed nothing. */
const CERTAIN = new Set<string>(['ERR_DURABLE_UNAVAILABLE', 'ERR_DURABLE_STORE', 'ERR_DURABLE_CLOSED'])
const isCertain = (error: unknown): boolean => error instanceof DurableError && CERTAIN.has(error.code)

/** So many numbers there are, that no two are the same. */
const MOST_NUMBERS = 2 ** 52

export class Lease {
  readonly store: Store
  readonly clock: Clock
  readonly background: Background
  readonly held: Held
  /** The number under which this process owns rows; 0: it has none now. */
  owner = 0
  /** Other processes that live, as far as is known. */
  others = 0
  /** Whether it was ended by {@link leave}. */
  hasLeft = false
  /** Called when rows of any name may be free. */
  sweep: () => void = () => {}
  /** Called with what other processes have told this one. */
  told: (news: News) => void = () => {}
  readonly #options: { lease: number; horizon: number }
  readonly #place = findPlace()
  readonly #otherEnd: Alarm
  /** Under which it may own rows, as far as is known. */
  #numbers: number[] = []
  /** The end, on the clock of the store and on one that cannot be set. */
  #until = 0
  #end = 0
  #joining: Promise<void> | undefined
  /** How often the lease has ended. */
  #lapses = 0

  constructor(
    store: Store,
    clock: Clock,
    background: Background,
    held: Held,
    options: { lease: number; horizon: number },
  ) {
    this.store = store
    this.clock = clock
    this.background = background
    this.held = held
    this.#options = options
    this.#otherEnd = new Alarm(clock, () => this.#look())
  }

  /** By two clocks: one can be set, the other stops while the machine sleeps. */
  get isAlive(): boolean {
    const left = this.#until - this.clock.now()
    // A lease that ends too late counts as ended for others: see store.ts. For this process a little earlier.
    const isShort = left <= this.#options.lease + LONGEST_LEASE / 2
    return left > 0 && isShort && this.clock.monotonic() < this.#end
  }

  get isIdle(): boolean {
    return this.held.underWay.size === 0 && this.#joining === undefined
  }

  /**
   * Sends a statement under the number of this process. If the answer is lost, the process goes on under another number.
   *
   * @param done gets the answer, and the number under which it was asked for. Rows that were lost meanwhile are not held by it
   */
  async ask<M extends Method>(
    method: M,
    argsOf: (owner: number) => Args<M>,
    done?: (answer: Answer<M>, owner: number) => void,
  ): Promise<Answer<M>> {
    if (this.owner === 0) await withoutDoubt(this.#ensure())
    const { owner } = this
    const lost = new Set<string>()
    this.held.underWay.add(lost)
    try {
      const answer = await this.store.call(method, argsOf(owner))
      done?.(answer, owner)
      return answer
    } catch (error) {
      if (!isCertain(error) && owner === this.owner) this.#renumber()
      throw error
    } finally {
      this.held.underWay.delete(lost)
    }
  }

  async join(): Promise<void> {
    const { lease, horizon } = this.#options
    // Before the statement is sent: the lease in the store then ends no earlier.
    const end = this.clock.monotonic() + lease
    const lapses = this.#lapses
    const owner = Math.ceil(Math.random() * MOST_NUMBERS)
    const [former, held] = [this.#numbers, this.held.rows]
    this.#numbers = [...former, owner]
    const args = { owner, former, lease, horizon, place: this.#place, held }
    const joined = await this.store.call('join', args).catch((error) => {
      if (isCertain(error)) this.#numbers = former
      throw error
    })
    // Of what it has got, it has forgotten a part meanwhile.
    if (lapses !== this.#lapses) return this.join()
    this.#numbers = [owner]
    this.owner = owner
    this.#until = joined.until
    this.#end = end
    for (const id of joined.lost) this.held.lose(id, false)
    this.#look()
    this.#met(joined.others)
  }

  /** While the number changes, an answer to a statement of the former one gives nothing to hold. */
  #renumber(): void {
    this.owner = 0
    this.background.persist(() => this.#ensure())
  }

  async #ensure(): Promise<void> {
    if (this.hasLeft) throw closedStore()
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
    this.hasLeft = true
    if (owner !== 0) await this.store.call('beat', { owner, lease: 0 })
  }

  async beat(): Promise<void> {
    if (!this.isAlive) return this.lapse()
    await this.read(this.#options.lease)
  }

  #look(): void {
    this.sweep()
    this.background.run(() => this.read())
  }

  /** Reads what other processes have told this one. @param lease renews the lease, too */
  async read(lease: number | null = null): Promise<void> {
    const asked = this.owner
    if (asked === 0 || this.background.isEnded) return
    const end = this.clock.monotonic() + (lease ?? 0)
    const news = await this.ask('beat', (owner) => ({ owner, lease }))
    this.told(news)
    if (asked !== this.owner) return
    // A lease that has ended while the answer was under way may be another's by now.
    if (news.until === null || !this.isAlive) return this.lapse()
    this.others = news.others.length
    if (lease === null) return
    this.#until = news.until
    this.#end = end
    this.sweep()
    this.#met(news.others)
  }

  /** Ends the leases of processes of the same machine that do not run any more, and looks when another lease has ended. */
  #met(others: readonly Peer[]): void {
    this.others = others.length
    this.#otherEnd.clear()
    for (const { until } of others) this.#otherEnd.set(until + 1)
    const dead = others.filter((one) => hasEnded(one, this.#place))
    if (dead.length === 0) return
    this.background.run(async () => {
      for (const { owner } of dead) await this.store.call('beat', { owner, lease: 0 })
      this.#look()
    })
  }

  /** The lease has ended: what waits is forgotten. What runs is acknowledged still, if no other process has claimed it. */
  lapse(): void {
    if (this.#until === 0) return
    this.#until = 0
    this.#lapses++
    for (const attempt of this.held.all('waits')) this.held.drop(attempt)
    this.held.giveUp(new DurableError('ERR_DURABLE_LEASE', 'the lease has ended while the handler ran'))
    const message = 'the lease of this process has ended: its timers run elsewhere, or here under a new lease'
    this.background.report(new DurableError('ERR_DURABLE_LEASE', message))
    this.#renumber()
  }
}
