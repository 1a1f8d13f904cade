/**
 * The engine of an open store. The database is the outermost level of the wheel. The engine claims the timers that are due within its
 * horizon (claims.ts) and holds them on the wheel (held.ts). When they are due it runs them, and then it acknowledges them (runs.ts). It
 * does all this under a lease (lease.ts).
 */

import { closedStore, DurableError, invalidValue } from '../common/errors.js'
import type { Changed, Row, SetRow, Store } from '../common/store.js'
import { Background, longerWait } from './background.js'
import { Claims } from './claims.js'
import type { Clock } from './clock.js'
import { closeAll, giveBack } from './closing.js'
import { Doubt } from './doubt.js'
import { type ChangeItem, type Ends, GroupCommit } from './group-commit.js'
import type { Handler } from './handler.js'
import { abort, Held } from './held.js'
import { Lease } from './lease.js'
import { Runs } from './runs.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export interface EngineOptions {
  lease: number
  horizon: number
  /** The longest time between two claims. */
  pause: number
  maxHeld: number
  retention: number
  onError: (error: Error) => void
}

const replaced = (): DurableError =>
  new DurableError('ERR_DURABLE_REPLACED', 'the timer was replaced or cleared while its handler ran')

const madeOf = ({ due, name, key, data, rule }: Omit<SetRow, 'owner'>, id = 0): Row => ({
  due,
  id,
  fence: 0,
  tries: 0,
  name,
  key,
  data,
  rule,
  error: null,
})

export class Engine {
  readonly #store: Store
  readonly #clock: Clock
  readonly #options: EngineOptions
  readonly #background: Background
  readonly #doubt: Doubt
  readonly #changes: GroupCommit<ChangeItem, Changed>
  /** Of their own, so that acknowledgements and changes do not wait for one another. */
  readonly #ends: Ends
  readonly #held: Held
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #runs: Runs
  /** Timers to set, that wait for an acknowledgement. */
  readonly #setLater = new Set<() => void>()
  #isClosing = false

  constructor(store: Store, clock: Clock, options: EngineOptions) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    const background = new Background(clock, options.onError)
    this.#background = background
    this.#doubt = new Doubt(() => this.#compare())
    const held = new Held(clock, (attempt) => this.#runs.due(attempt))
    this.#held = held
    /** Rows that an answer brings may have been lost while it was under way. */
    const ask = <A>(statement: () => Promise<A>, done: (answer: A) => void) =>
      this.#doubt.run(() => held.watching(async () => done(await statement())))
    this.#changes = new GroupCommit<ChangeItem, Changed>({
      itemOf: (item) => item,
      commit: (list, wasDivided, done) => {
        const changes = list.map(({ change }) => change)
        return ask(() => store.change(this.#lease.number, changes, wasDivided), done)
      },
      sizeOf: ({ change }) => (change.kind === 'set' ? (change.row.data?.length ?? 0) : 0),
    })
    const ends: Ends = new GroupCommit({
      itemOf: (item) => (typeof item === 'number' ? this.#runs.ending(item) : item),
      ready: () => this.#runs.pace(held.ends * 2 < options.maxHeld),
      commit: (list, wasDivided, done) => {
        const all = list.map(({ end }) => end)
        return ask(() => store.end(this.#lease.number, all, wasDivided), done)
      },
    })
    this.#ends = ends
    const lease = new Lease(store, clock, background, options, {
      lapsed: () => this.#forgetAll(),
      begun: () => {
        this.#claims.sweep()
        background.run(() => this.#readNews())
      },
    })
    this.#lease = lease
    this.#claims = new Claims(clock, lease, held, background, options, {
      claim: (claim, done) => ask(() => store.claim(claim), done),
      names: () => [...this.#runs.handlers.keys()],
      claimed: (row, owner) => held.adopt(row, owner),
      shed: (due) => giveBack(held.shed(due), ends, this.#doubt),
    })
    this.#runs = new Runs(
      { clock, lease, held, ends, background },
      {
        readNews: () => this.#readNews(),
        holder: (name, due) => this.#holder(name, due),
        again: (row, owner) => this.#hold(row, owner),
        moved: () => this.#claims.hasRoom(),
        whenClaimed: () => this.#claims.whenAnswered(),
      },
    )
  }

  async start(): Promise<void> {
    const readNews = () => this.#background.run(() => this.#readNews())
    this.#store.onNews(readNews)
    await this.#lease.join()
    // Without a number it could not, and a store tells of news only once.
    readNews()
    this.#clock.onSet(() => {
      this.#held.planAgain()
      this.#claims.planAgain()
      this.#background.run(() => this.#lease.beat())
    })
    const { lease, retention } = this.#options
    this.#background.every(lease / 3, () => this.#lease.beat())
    if (retention !== Infinity)
      this.#background.every(Math.min(Math.max(retention / 100, MINUTE), HOUR), () => this.#forget(retention))
  }

  async #forget(retention: number): Promise<void> {
    const before = this.now() - retention
    while (!this.#isClosing && (await this.#doubt.run(() => this.#store.forget(before))));
  }

  now(): number {
    return this.#clock.now()
  }

  get counts(): { held: number; running: number; ran: number; failures: number; claims: number } {
    const { running, counts } = this.#runs
    return { held: this.#held.waits, running, ...counts, claims: this.#claims.count }
  }

  /** Whether nothing is under way but handlers. */
  get isIdle(): boolean {
    return (
      this.#claims.isIdle &&
      this.#changes.isIdle &&
      this.#ends.isIdle &&
      this.#doubt.isIdle &&
      !this.#runs.isStarting
    )
  }

  on(name: string, handler: Handler): void {
    if (this.#isClosing) throw closedStore()
    const { handlers } = this.#runs
    if (handlers.has(name))
      throw new DurableError(
        'ERR_DURABLE_HANDLER',
        `the timers ${JSON.stringify(name)} have a handler already`,
      )
    handlers.set(name, handler)
    this.#claims.sweep()
  }

  /**
   * Stores a timer. Calls back instead of making a promise, because programs set very many.
   *
   * @param stored gets the timer, or the one that is there, if `ifExists` refuses it
   */
  set(
    row: Omit<SetRow, 'owner'>,
    stored: (isDone: boolean, row: Row) => void,
    fail: (error: unknown) => void,
    wait = 0,
  ): void {
    if (this.#isClosing) return fail(closedStore())
    const { due, name, key, data, rule, ifExists } = row
    const owner = this.#holder(name, due)
    if (owner !== 0) this.#held.reserved++
    this.#changes.add({
      change: { kind: 'set', row: { due, name, key, data, rule, ifExists, owner } },
      apply: ({ isDone, id, removed, present }) => {
        if (owner !== 0) this.#held.reserved--
        // Its handler has succeeded here, and the acknowledgement was on the way.
        if (present !== undefined && this.#held.isEnding(present.id))
          return this.#setAgain(wait, () => this.set(row, stored, fail, longerWait(wait)))
        // A claim may have passed over it while this statement had it locked.
        if (present !== undefined) this.#claims.expect(present.due)
        const made = present ?? madeOf(row, id)
        if (isDone) {
          this.#lose(removed)
          this.#hold(made, owner)
        }
        stored(isDone, made)
      },
      fail: (error) => {
        if (owner !== 0) this.#held.reserved--
        this.#claims.hasRoom()
        fail(error)
      },
    })
  }

  /** Sets a timer again once acknowledgements were stored. If they fail, it waits longer each time. */
  #setAgain(wait: number, set: () => void): void {
    const again = (): void => {
      if (this.#setLater.delete(again)) set()
    }
    this.#setLater.add(again)
    if (wait === 0) void this.#ends.whenIdle().then(again)
    else this.#clock.after(wait, again)
  }

  /** Stores a timer in a transaction of the program. @param db a connection on which it has begun */
  async setWithin(db: unknown, row: Omit<SetRow, 'owner'>): Promise<{ isDone: boolean; row: Row }> {
    if (this.#store.within === undefined)
      throw invalidValue('db', 'absent, because the store is a file of SQLite', db)
    const { isDone, id, present } = await this.#store.within(db, { kind: 'set', row: { ...row, owner: 0 } })
    return { isDone, row: present ?? madeOf(row, id) }
  }

  clear(name: string, key: string): Promise<boolean> {
    if (this.#isClosing) return Promise.reject(closedStore())
    return new Promise((resolve, reject) => {
      const apply = ({ isDone, removed }: Changed): void => {
        this.#lose(removed)
        resolve(isDone)
      }
      this.#changes.add({ change: { kind: 'clear', name, key }, apply, fail: reject })
    })
  }

  async retry(id: number): Promise<boolean> {
    if (this.#isClosing) throw closedStore()
    const due = Math.floor(this.now())
    const isDone = await this.#doubt.run(() => this.#store.retry(this.#lease.number, id, due))
    if (isDone) this.#claims.expect(due)
    return isDone
  }

  /** The number under which this process would hold a timer; 0: it would not. */
  #holder(name: string, due: number): number {
    const { maxHeld, horizon } = this.#options
    const holds =
      !this.#isClosing &&
      this.#runs.handlers.has(name) &&
      this.#held.waits + this.#held.reserved + this.#claims.coming < maxHeld &&
      due <= this.now() + horizon &&
      !this.#claims.hasBefore(due) &&
      this.#lease.isAlive
    return holds ? this.#lease.number : 0
  }

  /** A row was stored with this owner. */
  #hold(row: Row, owner: number): void {
    if (owner !== 0 && owner === this.#lease.number) this.#held.add(row, owner)
    else this.#claims.expect(row.due)
  }

  /** A row was replaced or cleared, or is another's. */
  #lose(id: number | undefined): void {
    const attempt = id === undefined ? undefined : this.#held.gone(id)
    if (attempt !== undefined) abort(attempt, replaced())
    this.#claims.hasRoom()
  }

  /** The lease has lapsed. What runs is acknowledged still, if no other process has claimed it. */
  #forgetAll(): void {
    const reason = new DurableError('ERR_DURABLE_LEASE', 'the lease has ended while the handler ran')
    this.#held.loseWaiting()
    for (const attempt of this.#held.started()) abort(attempt, reason)
  }

  async #readNews(): Promise<void> {
    const { number } = this.#lease
    if (number === 0 || this.#background.isEnded) return
    try {
      await this.#doubt.run(async () => {
        const { isAlive, lost, soon, others } = await this.#store.news(number)
        if (number !== this.#lease.number) return
        if (!isAlive) return this.#lease.lapse()
        this.#lease.others = others
        for (const id of lost) this.#lose(id)
        if (soon !== undefined) this.#claims.expect(soon)
      })
    } catch (error) {
      this.#background.report(error)
    }
  }

  /** After a lost answer. Compares the timers that are held with the store, or goes on under a new number if the store cannot. */
  async #compare(): Promise<void> {
    const { number } = this.#lease
    // Under a new number all is known.
    if (number === 0) return
    if (this.#store.keep === undefined) {
      // At once: others may claim what waits here as soon as the database has the end of the lease, whose answer comes later.
      this.#forgetAll()
      this.#lease.renew()
      return
    }
    const lost = await this.#store.keep(number, this.#held.ownedBy(number))
    for (const id of lost) this.#lose(id)
    this.#claims.sweep()
  }

  async close(timeout: number): Promise<void> {
    this.#isClosing = true
    for (const again of this.#setLater) again()
    await closeAll(
      {
        store: this.#store,
        clock: this.#clock,
        background: this.#background,
        doubt: this.#doubt,
        changes: this.#changes,
        ends: this.#ends,
        held: this.#held,
        lease: this.#lease,
        claims: this.#claims,
        runs: this.#runs,
      },
      timeout,
    )
  }
}
