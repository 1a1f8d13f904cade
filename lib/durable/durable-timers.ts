/** The class `DurableTimers`. It checks arguments and calls the engine. */
import {
  checkClient,
  checkFunction,
  checkName,
  checkPath,
  checkRest,
  checkString,
  failValue,
  number,
} from './checks.js'
import { cannotAdvance, closedStore, storedInPart, withoutDoubt } from './common/errors.js'
import { FAILED, type Row, START, type Store } from './common/store.js'
import { HostDate, monotonic, setImmediate, sleep } from './common/time.js'
import type {
  DurableCallOptions,
  DurableClearOptions,
  DurableHandler,
  DurableHandlerOptions,
  DurableListOptions,
  DurableOptions,
  DurablePauseOptions,
  DurableStats,
  DurableTimer,
  PostgresDatabase,
  DurableTimers as Timers,
} from './common/types.js'
import { current } from './engine/attempt.js'
import { type Clock, ManualClock, SystemClock } from './engine/clock.js'
import { Engine, FAILED_FROM, type NewTimer } from './engine/engine.js'
import { loadCroner, readRule } from './engine/rule.js'
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

/** Of `setMany`: rows and characters of data in one transaction. */
const MOST_ROWS = 2_000
const MOST_CHARACTERS = 2 ** 22
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

const newTimer = (name: string, checked: CheckedTimer, now: number, row?: string): NewTimer => {
  const { key, data, ifExists, rule } = checked
  const due = firstDue(checked, now, row)
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

async function* only(rows: AsyncIterable<Row>, isOne: (row: Row) => boolean): AsyncGenerator<Row> {
  for await (const row of rows) if (isOne(row)) yield row
}

/** Checks what all methods check: names and keys, and that nothing follows the arguments that the method knows. */
function check(
  method: string,
  known: number,
  rest: readonly unknown[],
  names: Record<string, unknown>,
): void {
  checkRest(method, known, rest)
  for (const what in names) checkName(what, names[what])
}

export class DurableTimers implements Timers {
  // The bundler renames the class, because the entry has a constant of this name.
  static readonly name = 'DurableTimers'
  readonly #clock: Clock
  readonly #engine: Engine
  /** Runs for which `advance` has waited long enough. */
  readonly #waitedFor = new WeakSet<object>()
  #closed: Promise<void> | undefined

  private constructor(clock: Clock, engine: Engine) {
    this.#clock = clock
    this.#engine = engine
  }

  static async open(
    store: string | PostgresDatabase,
    options?: DurableOptions,
    ...rest: unknown[]
  ): Promise<DurableTimers> {
    checkRest('open', 2, rest)
    const { client } = (store ?? {}) as Partial<PostgresDatabase>
    const path = client === undefined ? checkPath(store) : undefined
    const { schema, table, unref, manual, ...checked } = checkOpen(options, path !== undefined)
    if (manual?.isUsed) failValue('clock', 'one that no other open store has', manual)
    const time = manual && (() => manual.now())
    const opening: Promise<Store> =
      path === undefined
        ? PostgresStore.open(checkClient('client', client), { schema, table, unref, time })
        : SqliteStore.open({ path, table, time: manual?.time })
    const [opened] = await withoutDoubt(Promise.all([opening, loadCroner()]))
    const clock = manual ?? new SystemClock(opened, unref)
    if (manual) manual.isUsed = true
    try {
      const engine = new Engine(opened, clock, checked)
      await withoutDoubt(engine.start())
      return new DurableTimers(clock, engine)
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
    check('on', 3, rest, { name })
    checkFunction()('handler', handler)
    this.#engine.on(name, handler, checkHandler(options))
  }

  off(name: string, ...rest: unknown[]): boolean {
    check('off', 1, rest, { name })
    return this.#engine.off(name)
  }

  async pause(name: string, options?: DurablePauseOptions, ...rest: unknown[]): Promise<void> {
    check('pause', 2, rest, { name })
    await this.#engine.pause(name, true, checkPause(options).everywhere)
  }

  async resume(name: string, options?: DurablePauseOptions, ...rest: unknown[]): Promise<void> {
    check('resume', 2, rest, { name })
    await this.#engine.pause(name, false, checkPause(options).everywhere)
  }

  async set(name: string, options: object, ...rest: unknown[]): Promise<DurableTimer<never>> {
    check('set', 2, rest, { name })
    const checked = checkTimer(options)
    const [row] = await this.#engine.set([newTimer(name, checked, this.#engine.now())], checked.db)
    return timerOf(row!)
  }

  async setMany(
    name: string,
    rows: Iterable<object>,
    options?: DurableCallOptions,
    ...rest: unknown[]
  ): Promise<DurableTimer<never>[]> {
    check('setMany', 3, rest, { name })
    const { db } = checkCall(options)
    // All are checked before one is stored.
    const list = checkRows(rows)
    const now = this.#engine.now()
    const timers = list.map((one, i) => newTimer(name, one, now, `rows[${i}]`))
    const stored: DurableTimer<never>[] = []
    for (const part of partsOf(timers)) {
      try {
        for (const row of await this.#engine.set(part, db)) stored.push(timerOf(row))
      } catch (error) {
        throw stored.length === 0 ? error : storedInPart(error, stored.length)
      }
    }
    return stored
  }

  async clear(name: string, key: string, options?: DurableCallOptions, ...rest: unknown[]): Promise<boolean> {
    check('clear', 3, rest, { name, key })
    return this.#engine.clear(name, key, checkCall(options).db)
  }

  async get(
    name: string,
    key: string,
    options?: DurableCallOptions,
    ...rest: unknown[]
  ): Promise<DurableTimer<never> | undefined> {
    check('get', 3, rest, { name, key })
    const row = await this.#engine.read('get', { name, key }, checkCall(options).db)
    return row === null || row.due >= FAILED ? undefined : timerOf(row)
  }

  async *list(options?: DurableListOptions, ...rest: unknown[]): AsyncGenerator<DurableTimer<never>, void> {
    checkRest('list', 1, rest)
    const { name, before } = checkList(options)
    for await (const row of this.#engine.rows(START, Math.min(before, FAILED), name)) yield timerOf(row)
  }

  async *failed(options?: DurableListOptions, ...rest: unknown[]): AsyncGenerator<DurableTimer<never>, void> {
    checkRest('failed', 1, rest)
    const { name, before } = checkList(options)
    for await (const row of this.#engine.rows(FAILED_FROM, FAILED + before, name)) yield timerOf(row)
  }

  async retry(id: string, options?: DurableCallOptions, ...rest: unknown[]): Promise<boolean> {
    checkRest('retry', 2, rest)
    checkString('id', id)
    return this.#engine.retry(id, checkCall(options).db)
  }

  async clearId(name: string, id: string, ...rest: unknown[]): Promise<boolean> {
    check('clearId', 2, rest, { name })
    checkString('id', id)
    const rows = this.#engine.rows(START, FAILED * 2, name)
    return (await this.#engine.removeAll(only(rows, (row) => row.id === id))) > 0
  }

  async clearMany(name: string, options?: DurableClearOptions, ...rest: unknown[]): Promise<number> {
    check('clearMany', 2, rest, { name })
    const { prefix } = checkClear(options)
    const rows = this.#engine.rows(START, FAILED, name)
    return this.#engine.removeAll(only(rows, ({ key }) => (key ?? '').startsWith(prefix)))
  }

  async stats(options?: Pick<DurableListOptions, 'name'>, ...rest: unknown[]): Promise<DurableStats> {
    checkRest('stats', 1, rest)
    const { name } = checkStats(options)
    const pending = await this.#engine.count(START, FAILED, name)
    const failed = await this.#engine.count(FAILED_FROM, FAILED * 2, name)
    return { pending, failed, ...this.#engine.stats(name) }
  }

  async advance(ms: number, ...rest: unknown[]): Promise<void> {
    checkRest('advance', 1, rest)
    number(0, Number.MAX_SAFE_INTEGER)('ms', ms)
    const clock = this.#clock
    if (!(clock instanceof ManualClock)) throw cannotAdvance('a store that was opened with a manual clock')
    if (current.getStore() !== undefined)
      throw cannotAdvance('a caller that is no handler: it waits for handlers')
    if (this.#closed !== undefined) throw closedStore()
    const until = clock.now() + ms
    await this.#settle()
    while (clock.next(until)) await this.#settle()
    await this.#settle()
  }

  /** Waits until the store has nothing to do, and for its handlers: once for those that wait for something else. */
  async #settle(): Promise<void> {
    for (let since = monotonic(); ; ) {
      await new Promise(setImmediate)
      const awaited = [...this.#engine.running].filter((one) => !this.#waitedFor.has(one))
      if (!this.#engine.isIdle) since = monotonic()
      else if (awaited.length === 0) return
      else if (monotonic() - since > PATIENCE) for (const one of awaited) this.#waitedFor.add(one)
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
}
