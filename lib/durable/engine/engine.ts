/**
 * The engine of an open store. It claims the timers that are due within its horizon (claims.ts) and holds them on the wheel (held.ts). When
 * they are due it runs them, and then it acknowledges them (runs.ts). It does all this under a lease (lease.ts).
 */
import { closedStore, DurableError, invalidValue } from '../common/errors.js'
import { Ids } from '../common/ids.js'
import {
  type Answer,
  type Args,
  after,
  type Change,
  type Changed,
  clearing,
  type End,
  type Ended,
  FAILED,
  FRESH,
  type Method,
  type Ref,
  type Row,
  refOf,
  type Store,
} from '../common/store.js'
import { clearTimeout, setTimeout } from '../common/time.js'
import type { DurableStats } from '../common/types.js'
import { type Attempt, abort, current } from './attempt.js'
import { Background, type OnError } from './background.js'
import { Claims } from './claims.js'
import type { Clock } from './clock.js'
import { GroupCommit, type Item } from './group-commit.js'
import type { Handler } from './handler.js'
import { Held } from './held.js'
import { Lease } from './lease.js'
import { type Ending, Runs } from './runs.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
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

type Counts = Omit<DurableStats, 'pending' | 'failed' | 'lateness'>

/** A timer to set, without what the engine adds. */
export type NewTimer = Omit<Change, 'id' | 'owner'>

/** A change on the way to the store, or many that are made together. */
interface ChangeItem extends Item<Changed[]> {
  /** Who holds a timer is decided when it is sent. */
  send(): Change | Change[]
  /** The number under which it is sent. */
  owner: number
}

/** @param isDone false: `ifExists` has refused it, and the row is the one that is there */
type Stored = (isDone: boolean, row: Row) => void

export function existing({ name, key }: Pick<NewTimer, 'name' | 'key'>): DurableError {
  const which = `${JSON.stringify(name)} with the key ${JSON.stringify(key)}`
  return new DurableError('ERR_DURABLE_EXISTS', `there is a timer ${which} already`)
}

const madeOf = ({ due, name, key, data, rule }: NewTimer, id: string): Row => ({
  ...{ id, name, key, at: due, due, data, rule, last: null },
  ...FRESH,
})

/** The start of a watched row, as its process stores it. */
const startOf = (row: Row, owner: number): End => {
  const { id, name, key, at, due, last, starts, failures, deaths, error } = row
  const next = { id, at, due, last, starts, failures, deaths, watched: 2, error, owner }
  return { name, due, id, key, from: 0, newId: id, next }
}

interface SetItem extends ChangeItem {
  /** @param held how many of the same transaction this process will hold */
  send(held?: number): Change
}

export class Engine {
  readonly #store: Store
  readonly #clock: Clock
  readonly #options: EngineOptions
  readonly #handlers = new Map<string, Handler>()
  readonly #ids = new Ids()
  readonly #background: Background
  readonly #changes: GroupCommit<ChangeItem, Changed[]>
  /** Of their own, so that acknowledgements and changes do not wait for one another. */
  readonly #ends: GroupCommit<Ending, Ended>
  readonly #held: Held
  readonly #lease: Lease
  readonly #claims: Claims
  readonly #runs: Runs
  #isClosing = false

  constructor(store: Store, clock: Clock, options: EngineOptions) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    const handlers = this.#handlers
    const background = new Background(clock, options.onError)
    this.#background = background
    const held = new Held(clock, handlers, (attempt, handler) => this.#runs.due(attempt, handler))
    this.#held = held
    const lease = new Lease(store, clock, background, options, {
      held: () => held.rows,
      lapsed: () => this.#forgetAll(),
      joined: (lost) => {
        for (const id of lost) this.#lose(id, false)
        this.#claims.sweep()
        background.run(() => this.#readNews())
      },
      renewed: () => {
        this.#claims.sweep()
        background.run(() => this.#readNews())
      },
    })
    this.#lease = lease
    this.#changes = new GroupCommit((list, wasDivided, done) =>
      this.#ask(
        'change',
        (owner) => {
          for (const item of list) item.owner = owner
          const changes = list.flatMap((item) => item.send())
          return { owner, changes, wasDivided, isWhole: list[0]!.isAlone === true }
        },
        (changed) => {
          const left = [...changed]
          done(list.map(({ count = 1 }) => left.splice(0, count)))
        },
      ),
    )
    this.#ends = new GroupCommit((list, wasDivided, done) =>
      this.#ask(
        'end',
        (owner) => {
          for (const item of list) item.owner = owner
          return { owner, ends: list.map((item) => item.send()), wasDivided }
        },
        done,
      ),
    )
    const parts = { clock, lease, held, handlers, ends: this.#ends, ids: this.#ids, background }
    this.#claims = new Claims(
      parts,
      options,
      (names, done) => this.#ask('claim', (owner) => ({ owner, names }), done),
      (row) => held.add(row),
    )
    this.#runs = new Runs(parts, {
      readNews: () => this.#readNews(),
      note: async (rows) => {
        const { answer, owner } = await lease.ask((owner) =>
          store.call('end', { owner, ends: rows.map((row) => startOf(row, owner)), wasDivided: false }),
        )
        if (owner !== lease.owner) return undefined
        return rows.filter((_, i) => answer[i] !== null).map(({ id }) => id)
      },
      holder: (name, due) => this.#holder(name, due),
      again: (row, owner) => this.#hold(row, owner),
      moved: (name) => this.#claims.hasRoom(name),
    })
  }

  /** Sends a statement. Rows that its answer brings may be lost while it is under way. */
  async #ask<M extends Method>(
    method: M,
    argsOf: (owner: number) => Args<M>,
    done: (answer: Answer<M>, owner: number) => void,
  ): Promise<void> {
    const lost = new Set<string>()
    try {
      const { answer, owner } = await this.#lease.ask((owner) => {
        this.#held.watching.add(lost)
        return this.#store.call(method, argsOf(owner))
      })
      done(answer, owner)
    } finally {
      this.#held.watching.delete(lost)
    }
  }

  async start(): Promise<void> {
    const readNews = () => this.#background.run(() => this.#readNews())
    this.#store.onNews(readNews)
    await this.#lease.join()
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

  /** Removes the timers that failed so long ago, in portions. */
  async #forget(retention: number): Promise<void> {
    const range = { low: after(FAILED - 1), before: FAILED + Math.floor(this.now() - retention), most: 500 }
    const { answer: names } = await this.#lease.ask(() => this.#store.call('names', {}))
    for (const name of names) {
      for (let isMore = true; isMore && !this.#isClosing; ) {
        const { answer } = await this.#lease.ask(() => this.#store.call('portion', { name, ...range }))
        if (answer.rows.length > 0 && !this.#isClosing) await this.remove(answer.rows.map(refOf))
        isMore = answer.next !== null
      }
    }
  }

  now(): number {
    return this.#clock.now()
  }

  /** @param name undefined: of all names */
  handlersOf(name?: string): Handler[] {
    const handlers = [...this.#handlers]
    return handlers.filter(([one]) => name === undefined || one === name).map(([, handler]) => handler)
  }

  countsOf(name?: string): Counts {
    const counts = { held: 0, running: 0, ran: 0, failures: 0, claims: this.#claims.count }
    for (const { held, running, ran, failures } of this.handlersOf(name)) {
      counts.held += held
      counts.running += running
      counts.ran += ran
      counts.failures += failures
    }
    return counts
  }

  get counts(): Counts {
    return this.countsOf()
  }

  /** Whether nothing is under way but handlers. */
  get isIdle(): boolean {
    return (
      this.#claims.isIdle &&
      this.#changes.isIdle &&
      this.#ends.isIdle &&
      this.#lease.isIdle &&
      !this.#runs.isStarting
    )
  }

  on(name: string, handler: Handler): void {
    if (this.#isClosing) throw closedStore()
    const present = this.#handlers.get(name)
    if (present === undefined) this.#handlers.set(name, handler)
    else if (present.isOff) present.renew(handler)
    else
      throw new DurableError(
        'ERR_DURABLE_HANDLER',
        `the timers ${JSON.stringify(name)} have a handler already`,
      )
    this.#claims.expect(name, 0)
    // It may be paused in all processes.
    if (present === undefined) this.#background.run(() => this.#readNews())
  }

  /** Ends the work of a handler. What it runs goes on. @returns whether there was one */
  off(name: string): boolean {
    const handler = this.#handlers.get(name)
    if (handler === undefined || handler.isOff) return false
    handler.isOff = true
    this.#background.run(() => this.#changed(name, handler))
    return true
  }

  /** Pauses a name, or ends the pause, in this process, or in all. */
  async pause(name: string, isPaused: boolean, inAll: boolean): Promise<void> {
    if (this.#isClosing) throw closedStore()
    if (inAll) {
      await this.#lease.ask(() => this.#store.call('pause', { name, isPaused }))
      return this.#readNews()
    }
    const handler = this.#handlers.get(name)
    if (handler === undefined) return
    handler.isPaused = isPaused
    await this.#changed(name, handler)
  }

  /** A handler works again, or no more: then what it holds is given back, also what a claim may bring that is under way. */
  async #changed(name: string, handler: Handler): Promise<void> {
    if (handler.isActive) return this.#claims.expect(name, 0)
    await this.#claims.whenIdle()
    if (!handler.isActive)
      this.#runs.giveBack(this.#held.all('waits', 'due').filter(({ row }) => row.name === name))
  }

  /**
   * Stores a timer. Calls back instead of making a promise, because programs set very many.
   *
   * @param stored gets the timer, or the one that is there, if `ifExists` refuses it
   */
  set(timer: NewTimer, stored: Stored, fail: (error: unknown) => void): void {
    if (this.#isClosing) fail(closedStore())
    else this.#changes.add(this.#setting(timer, stored, fail))
  }

  /** Stores timers in one transaction, all or none. No key comes twice. */
  setAll(timers: readonly NewTimer[], stored: (rows: Row[]) => void, fail: (error: unknown) => void): void {
    if (this.#isClosing) return fail(closedStore())
    const rows: Row[] = []
    const items = timers.map((timer) => this.#setting(timer, (_, row) => rows.push(row), fail))
    const canRefuse = ({ ifExists }: NewTimer): boolean => ifExists === 'throw'
    this.#changes.add({
      owner: 0,
      count: items.length,
      keys: items.flatMap(({ key }) => key ?? []),
      size: items.reduce((size, item) => size + (item.size ?? 0), 0),
      isAlone: timers.some(canRefuse),
      send: () => {
        let held = 0
        return items.map((item) => {
          const change = item.send(held)
          if (change.owner !== 0) held++
          return change
        })
      },
      apply: (changed) => {
        const refused = changed.findIndex(({ present }, i) => present !== null && canRefuse(timers[i]!))
        if (refused >= 0) return fail(existing(timers[refused]!))
        for (const [i, item] of items.entries()) item.apply([changed[i]!])
        stored(rows)
      },
      fail,
    })
  }

  /** A handler that sets or clears its own key goes on. */
  #own(name: string, key: string | null): void {
    const attempt = current.getStore()
    if (attempt?.row.name === name && attempt.row.key === key && this.#held.has(attempt)) attempt.isOwn = true
  }

  #setting(timer: NewTimer, stored: Stored, fail: (error: unknown) => void): SetItem {
    const { name, key, due } = timer
    this.#own(name, key)
    const id = this.#ids.next()
    let holder = 0
    return {
      owner: 0,
      key: key === null ? null : `${name}\0${key}`,
      size: timer.data?.length ?? 0,
      send: (held = 0) => {
        // An update may keep another due time.
        holder = timer.ifExists === 'update' ? 0 : this.#holder(name, due, held)
        return { ...timer, id, owner: holder }
      },
      apply: ([changed]) => {
        const { isDone, removed, present } = changed!
        const row = present ?? madeOf(timer, id)
        if (isDone) {
          this.#lose(removed)
          this.#hold(row, holder)
        }
        stored(isDone, row)
      },
      fail,
    }
  }

  /** Sends a statement in a transaction of the program. @param db a connection on which it has begun */
  async within<M extends Method>(db: unknown, method: M, args: Args<M>): Promise<Answer<M>> {
    if (this.#isClosing) throw closedStore()
    if (this.#store.within === undefined)
      throw invalidValue('db', 'absent, because the store is a file of SQLite', db)
    return this.#store.within(db, method, args)
  }

  /** Makes changes in a transaction of the program. As no process, so that this one hears of the timers too when the program commits. */
  async changeWithin(db: unknown, changes: readonly Change[]): Promise<Changed[]> {
    for (const { name, key } of changes) this.#own(name, key)
    return this.within(db, 'change', { owner: 0, changes, wasDivided: false, isWhole: true })
  }

  /** Stores timers in a transaction of the program, all or none. */
  async setWithin(db: unknown, timers: readonly NewTimer[]): Promise<Row[]> {
    const rows = timers.map((timer) => ({ ...timer, id: this.#ids.next(), owner: 0 }))
    const changed = await this.changeWithin(db, rows)
    return changed.map(({ present }, i) => {
      if (present !== null && timers[i]!.ifExists === 'throw') throw existing(timers[i]!)
      return present ?? madeOf(timers[i]!, rows[i]!.id)
    })
  }

  clear(name: string, key: string): Promise<boolean> {
    if (this.#isClosing) return Promise.reject(closedStore())
    this.#own(name, key)
    return new Promise((resolve, reject) => {
      const apply = ([changed]: Changed[]): void => {
        this.#lose(changed!.removed)
        resolve(changed!.isDone)
      }
      const send = () => clearing(name, key)
      this.#changes.add({ owner: 0, key: `${name}\0${key}`, send, apply, fail: reject })
    })
  }

  /** Removes timers. @returns the ids of those that were there */
  async remove(rows: readonly Ref[]): Promise<string[]> {
    if (this.#isClosing) throw closedStore()
    const { answer } = await this.#lease.ask((owner) => this.#store.call('remove', { owner, rows }))
    for (const id of answer) this.#lose(id)
    return answer
  }

  async retry(id: string, db?: unknown): Promise<boolean> {
    if (this.#isClosing) throw closedStore()
    const due = Math.floor(this.now())
    if (db !== undefined) return (await this.within(db, 'retry', { id, due })) !== null
    const { answer: name } = await this.#lease.ask(() => this.#store.call('retry', { id, due }))
    if (name !== null) this.#claims.expect(name, due)
    return name !== null
  }

  /** The number under which this process would hold a timer, beside so many others; 0: it would not. */
  #holder(name: string, due: number, others = 0): number {
    const handler = this.#handlers.get(name)
    const holds =
      handler?.hasRoomBeside(others) === true &&
      !this.#isClosing &&
      due <= this.now() + this.#options.horizon &&
      // Those that are due before it wait to be claimed.
      !(handler.isCut && due > handler.position[0]) &&
      // Another process may have room.
      (this.#lease.others === 0 || due > this.now() || handler.slots > -handler.options.concurrency) &&
      this.#lease.isAlive
    return holds ? this.#lease.owner : 0
  }

  /** A row was stored with this owner. */
  #hold(row: Row, owner: number): void {
    if (owner !== 0 && owner === this.#lease.owner) this.#held.add(row)
    else this.#claims.expect(row.name, row.due)
  }

  /** A row was replaced or cleared, or is another's. */
  #lose(id: string | null, isForGood = true): void {
    const attempt = id === null ? undefined : this.#held.gone(id, isForGood)
    if (attempt === undefined) return
    const message = 'the timer was replaced or cleared while its handler ran'
    if (attempt.start > 0 && !attempt.isOwn) abort(attempt, new DurableError('ERR_DURABLE_REPLACED', message))
    this.#claims.hasRoom(attempt.row.name)
  }

  /** The lease has ended. What runs is acknowledged still, if no other process has claimed it. */
  #forgetAll(): void {
    this.#held.loseWaiting()
    this.#giveUp(new DurableError('ERR_DURABLE_LEASE', 'the lease has ended while the handler ran'))
  }

  /** Aborts what runs. That is no failure. */
  #giveUp(reason: Error): Attempt[] {
    const running = this.#held.all('runs')
    for (const attempt of running) {
      attempt.isGivenUp = true
      abort(attempt, reason)
    }
    return running
  }

  async #readNews(): Promise<void> {
    const { owner } = this.#lease
    if (owner === 0 || this.#background.isEnded) return
    try {
      const { answer: news } = await this.#lease.ask((owner) => this.#store.call('news', { owner }))
      for (const [name, handler] of this.#handlers) {
        if (handler.isPausedByAll === news.paused.includes(name)) continue
        handler.isPausedByAll = !handler.isPausedByAll
        this.#background.run(() => this.#changed(name, handler))
      }
      for (const { name, id, due } of news.messages) {
        if (id !== '') this.#lose(id)
        else if (name === '') this.#claims.sweep()
        else this.#claims.expect(name, due)
      }
      if (owner !== this.#lease.owner) return
      if (!news.isAlive) return this.#lease.lapse()
      this.#lease.others = news.others
    } catch (error) {
      this.#background.report(error)
    }
  }

  /** @param timeout milliseconds for the handlers that run */
  async close(timeout: number): Promise<void> {
    this.#isClosing = true
    const report = (error: unknown): void => this.#background.report(error)
    this.#runs.isStopped = true
    // It also waits for acknowledgements.
    const ended = [this.#giveBack().catch(report), this.#runs.whenIdle(), this.#held.whenEmpty()]
    await within(timeout, Promise.all(ended))
    for (const attempt of this.#giveUp(closedStore())) this.#runs.giveUp(attempt)
    await within(LAST_STATEMENTS, this.#leave().catch(report))
    this.#background.isEnded = true
    this.#clock.stop()
    await this.#store.close()
  }

  /** Gives back what waits. */
  async #giveBack(): Promise<void> {
    if (this.#store.isGone)
      for (const attempt of this.#held.all('waits', 'due', 'ends')) this.#held.lose(attempt)
    // They may bring more to hold.
    await this.#claims.stop()
    await Promise.all([this.#changes.whenIdle(), this.#ends.whenIdle()])
    this.#runs.giveBack(this.#held.all('waits', 'due'))
    await this.#ends.whenIdle()
  }

  async #leave(): Promise<void> {
    await Promise.all([this.#changes.whenIdle(), this.#ends.whenIdle()])
    await this.#lease.leave()
  }
}

/** Waits for work, but not longer: in real time, also if a test moves the clock. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
