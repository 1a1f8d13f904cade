/** The class `DurableTimers`. It checks arguments and calls the engine. */
import { checkClient, checkFunction, checkName, checkPath, checkRest, checkString, number } from './checks.js'
import { closedStore, notManual, storedInPart, withoutDoubt } from './common/errors.js'
import { after, clearing, FAILED, type Ref, type Row, refOf, START, type Store } from './common/store.js'
import { HostDate, monotonic, setImmediate, sleep } from './common/time.js'
import type {
  DurableCallOptions,
  DurableClearOptions,
  DurableHandler,
  DurableHandlerOptions,
  DurableListOptions,
  DurableOptions,
  DurablePauseOptions,
  DurableRun,
  DurableStats,
  DurableTimer,
  PostgresDatabase,
  DurableTimers as Timers,
} from './common/types.js'
import { type Clock, ManualClock, SystemClock } from './engine/clock.js'
import { Engine, existing, type NewTimer } from './engine/engine.js'
import { Handler } from './engine/handler.js'
import { loadCroner, readRule } from './engine/rule.js'
import { countOf, type Read, rowsOf } from './listing.js'
import {
  type CheckedTimer,
  checkCall,
  checkClear,
  checkClose,
  checkHandler,
  checkList,
  checkOpen,
  checkPause,
  checkRows,
  checkStats,
  checkTimer,
  firstDue,
} from './options.js'
import { PostgresStore } from './postgres/postgres-store.js'
import { SqliteStore } from './sqlite/sqlite-store.js'

/** The position before all failed timers. */
const LAST = after(FAILED - 1)
/** Of `setMany`: rows and characters of data in one transaction. */
const MOST_ROWS = 2_000
const MOST_CHARACTERS = 2 ** 22
/** Rows that `clearMany` removes at once. */
const MOST_CLEARED = 500
/** How long `advance` waits for handlers while nothing else happens, in milliseconds. */
const PATIENCE = 1_000

// No spread: objects that are made by one take more memory.
function timerOf({ id, name, key, data, rule, due, last, starts, error }: Row): DurableTimer<never> {
  const { every, cron, timeZone } = readRule(rule)
  return {
    id,
    name,
    key: key ?? undefined,
    data: (data === null ? undefined : JSON.parse(data)) as never,
    due: new HostDate(due >= FAILED ? due - FAILED : due),
    attempt: starts,
    error: error ?? undefined,
    every,
    cron,
    timeZone: cron === undefined ? undefined : (timeZone ?? 'UTC'),
    last: last === null ? undefined : new HostDate(last),
  }
}

const newTimer = (name: string, checked: CheckedTimer, now: number): NewTimer => {
  const { key, data, ifExists, rule } = checked
  const due = firstDue(checked, now)
  return { due, name, key, data, rule: rule === undefined ? null : JSON.stringify(rule), ifExists }
}

/** Parts that can be stored in one transaction each. */
function partsOf(timers: readonly NewTimer[]): NewTimer[][] {
  const parts: NewTimer[][] = []
  let size = 0
  for (const timer of timers) {
    if (parts.length === 0 || parts.at(-1)!.length === MOST_ROWS || size > MOST_CHARACTERS) {
      parts.push([])
      size = 0
    }
    parts.at(-1)!.push(timer)
    size += timer.data?.length ?? 0
  }
  return parts
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}

export class DurableTimers implements Timers {
  // The bundler renames the class, because the entry has a constant of this name.
  static readonly name = 'DurableTimers'
  readonly #store: Store
  readonly #clock: Clock
  readonly #engine: Engine
  /** Runs that `advance` waits for. */
  readonly #awaited = new Set<object>()
  #closed: Promise<void> | undefined

  private constructor(store: Store, clock: Clock, engine: Engine) {
    this.#store = store
    this.#clock = clock
    this.#engine = engine
  }

  static async open(
    store: string | PostgresDatabase,
    options?: DurableOptions,
    ...rest: unknown[]
  ): Promise<DurableTimers> {
    checkRest('open', 2, rest)
    return withoutDoubt(DurableTimers.#open(store, options))
  }

  static async #open(store: string | PostgresDatabase, options?: DurableOptions): Promise<DurableTimers> {
    const { client } = (store ?? {}) as Partial<PostgresDatabase>
    const path = client === undefined ? checkPath(store) : undefined
    const { schema, table, unref, manual, ...checked } = checkOpen(options)
    const opening: Promise<Store> =
      path === undefined
        ? PostgresStore.open(
            checkClient('client', client),
            schema,
            table,
            unref,
            manual && (() => manual.now()),
          )
        : SqliteStore.open({ path, table, time: manual?.time })
    const [opened] = await Promise.all([opening, loadCroner()])
    const clock = manual ?? new SystemClock(opened, unref)
    try {
      const engine = new Engine(opened, clock, checked)
      await engine.start()
      return new DurableTimers(opened, clock, engine)
    } catch (error) {
      clock.stop()
      await opened.close()
      throw error
    }
  }

  on(
    name: string,
    handler: DurableHandler<never>,
    options?: DurableHandlerOptions,
    ...rest: unknown[]
  ): void {
    checkRest('on', 3, rest)
    checkName('name', name)
    checkFunction()('handler', handler)
    const checked = checkHandler(options)
    const isManual = this.#clock instanceof ManualClock
    const run: typeof handler = isManual ? (one) => this.#awaitRun(handler, one) : handler
    this.#engine.on(name, new Handler(run, checked))
  }

  off(name: string, ...rest: unknown[]): boolean {
    checkRest('off', 1, rest)
    checkName('name', name)
    return this.#engine.off(name)
  }

  pause(name: string, options?: DurablePauseOptions, ...rest: unknown[]): Promise<void> {
    return this.#pause('pause', name, options, rest)
  }

  resume(name: string, options?: DurablePauseOptions, ...rest: unknown[]): Promise<void> {
    return this.#pause('resume', name, options, rest)
  }

  async #pause(method: 'pause' | 'resume', name: string, options: unknown, rest: unknown[]): Promise<void> {
    checkRest(method, 2, rest)
    checkName('name', name)
    await this.#engine.pause(name, method === 'pause', checkPause(options).everywhere)
  }

  async set(name: string, options: object, ...rest: unknown[]): Promise<DurableTimer<never>> {
    checkRest('set', 2, rest)
    checkName('name', name)
    const checked = checkTimer(options)
    this.#checkOpen()
    const timer = newTimer(name, checked, this.#engine.now())
    const { db } = checked
    if (db !== undefined) return timerOf((await this.#engine.setWithin(db, [timer]))[0]!)
    // Without an await, so that the changes of a turn share a transaction, in the order of the calls.
    return new Promise((resolve, reject) => {
      const stored = (isDone: boolean, row: Row): void => {
        if (!isDone && timer.ifExists === 'throw') return reject(existing(timer))
        try {
          resolve(timerOf(row))
        } catch (thrown) {
          // A person may have written data that is no JSON into the row that is there.
          reject(thrown)
        }
      }
      this.#engine.set(timer, stored, reject)
    })
  }

  async setMany(
    name: string,
    rows: Iterable<object>,
    options?: DurableCallOptions,
    ...rest: unknown[]
  ): Promise<DurableTimer<never>[]> {
    checkRest('setMany', 3, rest)
    checkName('name', name)
    const { db } = checkCall(options)
    // All are checked before one is stored.
    const list = checkRows(rows)
    this.#checkOpen()
    const now = this.#engine.now()
    const timers = list.map((one) => newTimer(name, one, now))
    const stored: DurableTimer<never>[] = []
    for (const part of partsOf(timers)) {
      try {
        const made =
          db === undefined
            ? new Promise<Row[]>((resolve, reject) => this.#engine.setAll(part, resolve, reject))
            : this.#engine.setWithin(db, part)
        for (const row of await made) stored.push(timerOf(row))
      } catch (error) {
        throw stored.length === 0 ? error : storedInPart(error, stored.length)
      }
    }
    return stored
  }

  async clear(name: string, key: string, options?: DurableCallOptions, ...rest: unknown[]): Promise<boolean> {
    checkRest('clear', 3, rest)
    checkName('name', name)
    checkName('key', key)
    const { db } = checkCall(options)
    this.#checkOpen()
    if (db === undefined) return this.#engine.clear(name, key)
    return (await this.#engine.changeWithin(db, [clearing(name, key)]))[0]!.isDone
  }

  async get(
    name: string,
    key: string,
    options?: DurableCallOptions,
    ...rest: unknown[]
  ): Promise<DurableTimer<never> | undefined> {
    checkRest('get', 3, rest)
    checkName('name', name)
    checkName('key', key)
    const { db } = checkCall(options)
    this.#checkOpen()
    const args = { name, key }
    const row = await (db === undefined ? this.#read('get', args) : this.#engine.within(db, 'get', args))
    return row === null || row.due >= FAILED ? undefined : timerOf(row)
  }

  async *list(options?: DurableListOptions, ...rest: unknown[]): AsyncGenerator<DurableTimer<never>, void> {
    checkRest('list', 1, rest)
    const { name, before } = checkList(options)
    for await (const row of rowsOf(this.#read, START, Math.min(before, FAILED), name)) yield timerOf(row)
  }

  async *failed(options?: DurableListOptions, ...rest: unknown[]): AsyncGenerator<DurableTimer<never>, void> {
    checkRest('failed', 1, rest)
    const { name, before } = checkList(options)
    for await (const row of rowsOf(this.#read, LAST, FAILED + before, name)) yield timerOf(row)
  }

  readonly #read: Read = (method, args) => {
    this.#checkOpen()
    return withoutDoubt(this.#store.call(method, args))
  }

  async retry(id: string, options?: DurableCallOptions, ...rest: unknown[]): Promise<boolean> {
    checkRest('retry', 2, rest)
    checkString('id', id)
    const { db } = checkCall(options)
    this.#checkOpen()
    return this.#engine.retry(id, db)
  }

  async clearId(name: string, id: string, ...rest: unknown[]): Promise<boolean> {
    checkRest('clearId', 2, rest)
    checkName('name', name)
    checkString('id', id)
    for await (const row of rowsOf(this.#read, START, FAILED * 2, name))
      if (row.id === id) return (await this.#engine.remove([refOf(row)])).length > 0
    return false
  }

  async clearMany(name: string, options?: DurableClearOptions, ...rest: unknown[]): Promise<number> {
    checkRest('clearMany', 2, rest)
    checkName('name', name)
    const { prefix } = checkClear(options)
    let [some, cleared]: [Ref[], number] = [[], 0]
    const clear = async (): Promise<void> => {
      cleared += (await this.#engine.remove(some)).length
      some = []
    }
    for await (const row of rowsOf(this.#read, START, FAILED, name)) {
      if (`${row.key ?? ''}`.startsWith(prefix)) some.push(refOf(row))
      if (some.length === MOST_CLEARED) await clear()
    }
    await clear()
    return cleared
  }

  async stats(options?: Pick<DurableListOptions, 'name'>, ...rest: unknown[]): Promise<DurableStats> {
    checkRest('stats', 1, rest)
    const { name } = checkStats(options)
    this.#checkOpen()
    const pending = await countOf(this.#read, START, FAILED, name)
    const failed = await countOf(this.#read, LAST, FAILED * 2, name)
    const handlers = this.#engine.handlersOf(name)
    const lateness = handlers.flatMap((one) => one.lateness).sort((a, b) => a - b)
    return {
      ...{ pending, failed },
      ...this.#engine.countsOf(name),
      lateness: { p50: percentile(lateness, 0.5), p99: percentile(lateness, 0.99) },
    }
  }

  async advance(ms: number, ...rest: unknown[]): Promise<void> {
    checkRest('advance', 1, rest)
    number(0, Number.MAX_SAFE_INTEGER)('ms', ms)
    const clock = this.#clock
    if (!(clock instanceof ManualClock)) throw notManual()
    this.#checkOpen()
    const until = clock.now() + ms
    await this.#settle()
    while (clock.next(until)) await this.#settle()
    await this.#settle()
  }

  async #awaitRun(handler: DurableHandler<never>, run: DurableRun<never>): Promise<void> {
    this.#awaited.add(run)
    try {
      await handler(run)
    } finally {
      this.#awaited.delete(run)
    }
  }

  /** Waits until the store has nothing to do, and for its handlers: once for those that wait for something else. */
  async #settle(): Promise<void> {
    for (let since = monotonic(); ; ) {
      await new Promise(setImmediate)
      if (!this.#engine.isIdle) since = monotonic()
      else if (this.#awaited.size === 0) return
      else if (monotonic() - since > PATIENCE) this.#awaited.clear()
      else await sleep(1)
    }
  }

  async close(options?: { timeout?: number | undefined }, ...rest: unknown[]): Promise<void> {
    checkRest('close', 1, rest)
    const { timeout } = checkClose(options)
    this.#closed ??= this.#engine.close(timeout)
    await this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedStore()
  }
}
