/** The class `DurableTimers`. It checks arguments and calls the engine. */
import {
  checkHandler,
  checkName,
  checkNumber,
  checkOpen,
  checkStore,
  checkTimer,
  firstCron,
  firstDue,
} from './checks.js'
import { type Clock, ManualClock, SystemClock } from './clock.js'
import { Engine } from './engine.js'
import { closedStore, DurableError, invalidType, notManual } from './errors.js'
import { Handler } from './handler.js'
import { SqliteStore } from './sqlite/sqlite-store.js'
import { FAILED, type Row, type Store } from './store.js'
import type {
  DurableHandler,
  DurableHandlerOptions,
  DurableListOptions,
  DurableOptions,
  DurableStats,
  DurableTimer,
  DurableTimerOptions,
  DurableTimers as Timers,
} from './types.js'

/** Rows of a page of `list`, and of a count. */
const PAGE = 500
const COUNTED = 50_000
/** A handler that waits for something else than the store keeps `advance` from going on for this many milliseconds. */
const PATIENCE = 10

const timerOf = ({ id, name, key, data, due, tries, error }: Row): DurableTimer => ({
  ...{ id, name },
  key: key ?? undefined,
  data: data === null ? undefined : JSON.parse(data),
  due: new Date(due >= FAILED ? due - FAILED : due),
  attempts: tries,
  error: error ?? undefined,
})

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}

export class DurableTimers implements Timers {
  readonly #store: Store
  readonly #clock: Clock
  readonly #engine: Engine
  readonly #handlers: Handler[] = []
  #closed: Promise<void> | undefined

  private constructor(store: Store, clock: Clock, engine: Engine) {
    this.#store = store
    this.#clock = clock
    this.#engine = engine
  }

  static async open(store: string, options?: DurableOptions): Promise<DurableTimers> {
    const path = checkStore(store)
    const { table, unref, ...checked } = checkOpen(options)
    const clock = checked.isManual ? new ManualClock(Date.now()) : new SystemClock(Date.now, unref)
    let opened: Store | undefined
    try {
      opened = await SqliteStore.open(path, table, clock.now)
      const engine = new Engine(opened, clock, checked)
      await engine.start()
      return new DurableTimers(opened, clock, engine)
    } catch (error) {
      clock.stop()
      await opened?.close()
      throw error
    }
  }

  on<T>(name: string, handler: DurableHandler<T>, options?: DurableHandlerOptions): void {
    const made = new Handler(handler, checkHandler(handler, options))
    this.#engine.on(checkName('name', name), made)
    this.#handlers.push(made)
  }

  async set(name: string, options: DurableTimerOptions): Promise<DurableTimer> {
    checkName('name', name)
    const checked = checkTimer(options)
    this.#checkOpen()
    // Without an await for most timers, so that those of a turn share a transaction, in the order of the calls.
    const now = this.#engine.now()
    const due = checked.rule?.cron === undefined ? firstDue(checked, now) : await firstCron(checked, now)
    const { key, data, ifExists } = checked
    const rule = checked.rule === undefined ? null : JSON.stringify(checked.rule)
    const { isDone, row } = await this.#engine.set({ due, name, key, data, rule, ifExists })
    if (!isDone && ifExists === 'throw')
      throw new DurableError(
        'ERR_DURABLE_EXISTS',
        `there is a timer ${JSON.stringify(name)} with the key ${JSON.stringify(key)}`,
      )
    return timerOf(row!)
  }

  async setMany(name: string, rows: Iterable<DurableTimerOptions>): Promise<DurableTimer[]> {
    checkName('name', name)
    if (typeof rows?.[Symbol.iterator] !== 'function') throw invalidType('rows', 'iterable', rows)
    const list = [...rows]
    // All are checked before one is stored.
    for (const options of list) checkTimer(options)
    return Promise.all(list.map((options) => this.set(name, options)))
  }

  async clear(name: string, key: string): Promise<boolean> {
    checkName('name', name)
    checkName('key', key)
    this.#checkOpen()
    return this.#engine.clear(name, key)
  }

  async get<T>(name: string, key: string): Promise<DurableTimer<T> | undefined> {
    checkName('name', name)
    checkName('key', key)
    this.#checkOpen()
    const row = await this.#store.get(name, key)
    return row === undefined || row.due >= FAILED ? undefined : (timerOf(row) as DurableTimer<T>)
  }

  async *list({ name, before }: DurableListOptions = {}): AsyncGenerator<DurableTimer, void> {
    if (name !== undefined) checkName('name', name)
    const end = before === undefined ? FAILED : Math.min(+before, FAILED)
    checkNumber('before', end, -FAILED, FAILED)
    yield* this.#pages([-1, 0], end, name)
  }

  async *#pages(
    low: readonly [number, number],
    end: number,
    name?: string,
  ): AsyncGenerator<DurableTimer, void> {
    for (let from = low; ; ) {
      this.#checkOpen()
      const rows = await this.#store.page(from, end, name, PAGE)
      for (const row of rows) yield timerOf(row)
      if (rows.length < PAGE) return
      const last = rows.at(-1)!
      from = [last.due, last.id]
    }
  }

  async failed(): Promise<DurableTimer[]> {
    const failed: DurableTimer[] = []
    for await (const timer of this.#pages([FAILED - 1, 0], FAILED * 2)) failed.push(timer)
    return failed
  }

  async retry(id: number): Promise<boolean> {
    checkNumber('id', id, 1, Number.MAX_SAFE_INTEGER, true)
    this.#checkOpen()
    return this.#engine.retry(id)
  }

  async #count(low: readonly [number, number], end: number): Promise<number> {
    let count = 0
    // In portions, because a count of millions takes a second, in which no timer would be stored.
    for (let from: readonly [number, number] | undefined = low; from !== undefined; ) {
      const { rows, last }: { rows: number; last: [number, number] | undefined } = await this.#store.count(
        from,
        end,
        COUNTED,
      )
      count += rows
      from = last
    }
    return count
  }

  async stats(): Promise<DurableStats> {
    this.#checkOpen()
    const pending = await this.#count([-1, 0], FAILED)
    const failed = await this.#count([FAILED - 1, 0], FAILED * 2)
    const late = this.#handlers.flatMap(({ lateness }) => lateness).sort((a, b) => a - b)
    const { held, running, counts } = this.#engine
    return {
      ...{ pending, failed, held, running },
      ...counts,
      late: { p50: percentile(late, 0.5), p99: percentile(late, 0.99) },
    }
  }

  async advance(ms: number): Promise<void> {
    checkNumber('ms', ms, 0, Number.MAX_SAFE_INTEGER)
    const clock = this.#clock
    if (!(clock instanceof ManualClock)) throw notManual()
    this.#checkOpen()
    const until = clock.now() + ms
    await this.#settle()
    while (clock.next(until)) await this.#settle()
    await this.#settle()
  }

  /** Waits until the store has nothing to do, and for handlers that are not waiting for something else. */
  async #settle(): Promise<void> {
    let since = performance.now()
    for (;;) {
      await new Promise(setImmediate)
      if (!this.#engine.isIdle) since = performance.now()
      else if (this.#engine.running === 0 || performance.now() - since > PATIENCE) return
    }
  }

  close(options: { timeout?: number | undefined } = {}): Promise<void> {
    const { timeout = 10_000 } = options
    checkNumber('timeout', timeout, 0, 2 ** 31 - 1)
    this.#closed ??= this.#engine.close(timeout)
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw closedStore()
  }
}
