/**
 * The engine of an open store. It claims the timers that are due within its horizon (claims.ts) and holds them (held.ts). When they are due
 * it runs them (runs.ts), and then it ends them in the database (ends.ts). It does all this under a lease (lease.ts).
 */
import { closedStore, DurableError, failValue, withoutDoubt } from '../common/errors.js'
import { Ids } from '../common/ids.js'
import {
  type Answer,
  type Args,
  after,
  type Change,
  type Changed,
  clearing,
  FAILED,
  FRESH,
  type Method,
  type News,
  type Position,
  type Ref,
  type Row,
  refOf,
  type Store,
} from '../common/store.js'
import { atMost } from '../common/time.js'
import type { DurableStats } from '../common/types.js'
import { type Attempt, current } from './attempt.js'
import { Background, type OnError } from './background.js'
import { Claims } from './claims.js'
import type { Clock } from './clock.js'
import { Ends } from './ends.js'
import { GroupCommit, PART } from './group-commit.js'
import { Handler, type HandlerFunction, type HandlerOptions } from './handler.js'
import { Held } from './held.js'
import { Lease } from './lease.js'
import { countOf, rowsOf } from './listing.js'
import { Runs } from './runs.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** The position before all failed timers. */
export const FAILED_FROM: Position = after(FAILED - 1)
/** Rows that are removed at once. */
const PORTION = 500
/** How long the last statements may take, in milliseconds: as long as SQLite waits for a lock. */
const LAST_STATEMENTS = 5_000

export interface EngineOptions {
  lease: number
  horizon: number
  /** The longest time between two claims. */
  pause: number
  retention: number
  onError: OnError
}

/** A timer to set, without what the engine adds. */
export type NewTimer = Omit<Change, 'id' | 'owner'>

const rowOf = ({ id, due, name, key, data, rule, owner }: Change): Row => ({
  ...{ id, name, key, at: due, due, data, rule, last: null, owner },
  ...FRESH,
})

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}

export class Engine {
  readonly #store: Store
  readonly #clock: Clock
  readonly #options: EngineOptions
  readonly #ids = new Ids()
  readonly #background: Background
  readonly #held = new Held()
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #changes: GroupCommit<Change, Changed>
  readonly #ends: Ends
  readonly #runs: Runs

  constructor(store: Store, clock: Clock, options: EngineOptions) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    this.#background = new Background(clock, options.onError)
    const lease = new Lease(store, clock, this.#background, this.#held, options)
    this.#lease = lease
    this.#claims = new Claims(lease, options)
    this.#changes = new GroupCommit((collect, isWhole, done) =>
      lease.ask('change', (owner) => ({ owner, changes: collect(), isWhole }), done),
    )
    this.#ends = new Ends(lease, this.#claims)
    this.#runs = new Runs(lease, this.#ends)
    lease.sweep = () => this.#claims.sweep()
    lease.told = (news) => this.#told(news)
  }

  async start(): Promise<void> {
    const { lease, retention } = this.#options
    this.#store.onNews(() => this.#read())
    await this.#lease.join()
    this.#background.every(lease / 3, () => this.#lease.beat())
    if (retention !== Infinity)
      this.#background.every(Math.min(Math.max(retention / 100, MINUTE), HOUR), () => this.#forget(retention))
  }

  #read(): void {
    this.#background.run(() => this.#lease.read())
  }

  #told({ paused, messages }: News): void {
    for (const handler of this.#held.handlers.values()) {
      const isPaused = paused.includes(handler.name)
      if (handler.stops.has('paused everywhere') !== isPaused)
        this.#background.run(() => this.#ends.stop(handler, 'paused everywhere', isPaused))
    }
    for (const { name, id, due } of messages) {
      if (id !== '') this.#held.lose(id)
      else if (name === '') this.#claims.sweep()
      else this.#claims.expect(name, due)
    }
  }

  async #forget(retention: number): Promise<void> {
    const before = FAILED + Math.floor(this.now() - retention)
    await this.removeAll(rowsOf((method, args) => this.#lease.ask(method, () => args), FAILED_FROM, before))
  }

  now(): number {
    return this.#clock.now()
  }

  /** Attempts whose handlers run. */
  get running(): Attempt[] {
    return this.#held.running
  }

  /** Whether nothing is under way but handlers. */
  get isIdle(): boolean {
    const isBusy = [this.#claims, this.#changes, this.#ends].some(({ busy }) => busy !== undefined)
    return !isBusy && this.#lease.isIdle && this.#runs.isIdle
  }

  #checkOpen(): void {
    if (this.#background.isClosing) throw closedStore()
  }

  /** @param name undefined: of all names */
  stats(name?: string): Omit<DurableStats, 'pending' | 'failed'> {
    const counts = { held: 0, running: 0, ran: 0, failures: 0, claims: this.#claims.count }
    const late: number[] = []
    for (const handler of this.#held.handlers.values()) {
      if (name !== undefined && handler.name !== name) continue
      const { waiting, running, ran, failures, lateness } = handler
      counts.held += waiting.size
      counts.running += running.size
      counts.ran += ran
      counts.failures += failures
      late.push(...lateness)
    }
    late.sort((a, b) => a - b)
    return { ...counts, lateness: { p50: percentile(late, 0.5), p99: percentile(late, 0.99) } }
  }

  on(name: string, run: HandlerFunction, options: HandlerOptions): void {
    this.#checkOpen()
    const present = this.#held.handlers.get(name)
    if (present?.stops.has('off') === false) {
      const message = `the timers ${JSON.stringify(name)} have a handler already`
      throw new DurableError('ERR_DURABLE_HANDLER', message)
    }
    if (present !== undefined) {
      Object.assign(present, { run, options })
      present.stops.delete('off')
    } else {
      const events = {
        start: (handler: Handler) => this.#runs.plan(handler),
        claim: (handler: Handler) => this.#claims.want(handler),
      }
      this.#held.handlers.set(name, new Handler(name, run, options, this.#clock, events))
      // It may be paused in all processes.
      this.#read()
    }
    this.#claims.expect(name, 0)
  }

  /** Ends the work of a handler. What it runs goes on. @returns whether there was one */
  off(name: string): boolean {
    const handler = this.#held.handlers.get(name)
    if (handler === undefined || handler.stops.has('off')) return false
    this.#background.run(() => this.#ends.stop(handler, 'off', true))
    return true
  }

  /** Pauses a name, or ends the pause, in this process, or in all. */
  async pause(name: string, isPaused: boolean, inAll: boolean): Promise<void> {
    this.#checkOpen()
    if (inAll) {
      await this.#lease.ask('pause', () => ({ name, isPaused }))
      return this.#read()
    }
    const handler = this.#held.handlers.get(name)
    if (handler !== undefined) await this.#ends.stop(handler, 'paused here', isPaused)
  }

  /** Stores timers in one transaction, all or none. No key comes twice. @param db the transaction, if it is the program's */
  async set(timers: readonly NewTimer[], db?: unknown): Promise<Row[]> {
    const changes = timers.map((timer): Change => ({ ...timer, id: this.#ids.next(), owner: 0 }))
    const changed = await this.#change(changes, db)
    return changed.map(({ isDone, present }, i) => {
      const { name, key, ifExists } = changes[i]!
      if (isDone || present === null || ifExists !== 'throw') return present ?? rowOf(changes[i]!)
      const which = `${JSON.stringify(name)} with the key ${JSON.stringify(key)}`
      throw new DurableError('ERR_DURABLE_EXISTS', `there is a timer ${which} already`)
    })
  }

  /** @param db as in {@link set} */
  async clear(name: string, key: string, db?: unknown): Promise<boolean> {
    const [changed] = await this.#change([clearing(name, key)], db)
    return changed!.isDone
  }

  async #change(changes: readonly Change[], db: unknown): Promise<Changed[]> {
    this.#checkOpen()
    // A handler of this store that sets or clears its own key goes on.
    const attempt = current.getStore()
    const isOwn = ({ name, key }: Change) => attempt?.row.name === name && attempt.row.key === key
    if (attempt !== undefined && this.#held.handlers.get(attempt.row.name)?.running.has(attempt))
      attempt.isOwn ||= changes.some(isOwn)
    // As no process, so that this one hears of the timers too when the program commits.
    if (db !== undefined) return this.#within(db, 'change', { owner: 0, changes, isWhole: true })
    return new Promise((resolve, reject) => {
      this.#changes.add({
        keys: changes.flatMap(({ name, key }) => (key === null ? [] : `${name}\0${key}`)),
        size: changes.reduce((sum, { data }) => sum + PART + (data?.length ?? 0), 0),
        isAlone: changes.length > 1 && changes.some(({ ifExists }) => ifExists === 'throw'),
        send: () => this.#withHolders(changes),
        apply: (changed) => {
          for (const [i, one] of changes.entries()) this.#changed(one, changed[i]!)
          resolve(changed)
        },
        fail: reject,
      })
    })
  }

  /** Decides who holds timers that are set. */
  #withHolders(changes: readonly Change[]): Change[] {
    let held = 0
    for (const one of changes) {
      // An update may keep another due time.
      if (one.ifExists !== 'clear' && one.ifExists !== 'update')
        one.owner = this.#claims.holder(one.name, one.due, held)
      if (one.owner !== 0) held++
    }
    return [...changes]
  }

  #changed(change: Change, { isDone, removed, present }: Changed): void {
    if (removed !== null) this.#held.lose(removed)
    if (change.ifExists !== 'clear' && isDone) this.#claims.stored(present ?? rowOf(change), change.owner)
  }

  /** Sends a statement that changes nothing. @param db as in {@link set} */
  async read<M extends Method>(method: M, args: Args<M>, db?: unknown): Promise<Answer<M>> {
    this.#checkOpen()
    return db === undefined ? withoutDoubt(this.#store.call(method, args)) : this.#within(db, method, args)
  }

  /** Sends a statement in a transaction of the program. @param db a connection on which it has begun */
  async #within<M extends Method>(db: unknown, method: M, args: Args<M>): Promise<Answer<M>> {
    if (this.#store.within === undefined) failValue('db', 'absent, because the store is a file of SQLite', db)
    return this.#store.within(db, method, args)
  }

  /** The rows of a name, or of each, from a position on and due before a time, in the order of their due times. */
  rows(low: Position, before: number, name?: string): AsyncGenerator<Row, void> {
    return rowsOf((method, args) => this.read(method, args), low, before, name)
  }

  /** How many there are. */
  count(low: Position, before: number, name?: string): Promise<number> {
    return countOf((method, args) => this.read(method, args), low, before, name)
  }

  /** Removes rows, in portions. @returns how many of them were there */
  async removeAll(rows: AsyncIterable<Row>, isOne: (row: Row) => boolean = () => true): Promise<number> {
    const found: Ref[] = []
    let count = 0
    const lose = (ids: readonly string[]): void => {
      for (const id of ids) this.#held.lose(id)
      count += ids.length
    }
    const remove = (some: readonly Ref[]) =>
      this.#lease.ask('remove', (owner) => ({ owner, rows: some }), lose)
    for await (const row of rows) {
      if (isOne(row)) found.push(refOf(row))
      if (found.length === PORTION) await remove(found.splice(0))
    }
    if (found.length > 0) await remove(found)
    return count
  }

  /** Runs a failed timer again. @param db as in {@link set} @returns whether there was one */
  async retry(id: string, db?: unknown): Promise<boolean> {
    this.#checkOpen()
    const args = { id, due: Math.floor(this.now()) }
    if (db !== undefined) return (await this.#within(db, 'retry', args)) !== null
    const name = await this.#lease.ask('retry', () => args)
    if (name !== null) this.#claims.expect(name, args.due)
    return name !== null
  }

  /** @param timeout milliseconds for the handlers that run */
  async close(timeout: number): Promise<void> {
    const report = (error: unknown): void => this.#background.report(error)
    this.#background.isClosing = true
    const ended = Promise.all([this.#giveBack().catch(report), this.#held.whenEmpty()])
    await atMost<unknown>(timeout, ended, () => {})
    for (const attempt of this.#held.giveUp(closedStore())) this.#ends.giveUp(attempt)
    await atMost(LAST_STATEMENTS, this.#leave().catch(report), () => {})
    this.#background.isEnded = true
    this.#clock.stop()
    await this.#store.close()
  }

  /** Gives back what waits. */
  async #giveBack(): Promise<void> {
    if (this.#store.isGone) for (const attempt of this.#held.all('waits', 'ends')) this.#held.drop(attempt)
    // They may bring more to hold.
    await this.#claims.busy
    await Promise.all([this.#changes.busy, this.#ends.busy])
    this.#ends.giveBack(this.#held.all('waits'))
  }

  async #leave(): Promise<void> {
    await Promise.all([this.#changes.busy, this.#ends.busy])
    await this.#lease.leave()
  }
}
