/** The class `DurableTimers`. It checks arguments and calls the engine. */
import { cannotAdvance, closedStore, failValue, storedInPart, withoutDoubt } from './common/errors.js'
import { FAILED, START } from './common/rows.js'
import type { Row, Store } from './common/store.js'
import { HostDate, monotonic, setImmediate, sleep } from './common/time.js'
import type { DurableStats, DurableTimer, DurableTimers as Timers } from './common/types.js'
import { current } from './engine/attempt.js'
import { type Clock, ManualClock, makeSystemClock } from './engine/clock.js'
import { type Engine, FAILED_FROM, makeEngine, type NewTimer } from './engine/engine.js'
import { countOf, rowsOf } from './engine/listing.js'
import { loadCroner, readRule } from './engine/rule.js'
import { argumentsOf, type CheckedTimer, firstDue, openArguments } from './options.js'
import { openPostgres } from './postgres/postgres-store.js'
import { openSqlite } from './sqlite/sqlite-store.js'

/** Of `setMany`: rows and characters of data in one transaction. */
const MOST_ROWS = 2_000
const MOST_CHARACTERS = 2 ** 22
/** How long `advance` waits for handlers while nothing else happens, in milliseconds. */
const PATIENCE = 1_000

/** A timer of any name. */
type Timer = DurableTimer<never, never>

// No spread: objects that are made by one take more memory.
function timerOf({ id, name, key, data, rule, due, last, starts, error }: Row): Timer {
  const { every, cron, timeZone } = readRule(rule)
  return {
    id,
    name: name as never,
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

const newTimer = (name: string, checked: CheckedTimer, now: number, prefix = ''): NewTimer => {
  const { key, data, ifExists, rule } = checked
  const due = firstDue(checked, now, `${prefix}cron`)
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

  static async open(...args: unknown[]): Promise<DurableTimers> {
    const { store, schema, table, unref, manual, ...options } = openArguments(args)
    if (manual?.isUsed) failValue('clock', 'one that no other open store has', manual)
    const time = manual && (() => manual.now())
    const opening: Promise<Store> =
      typeof store === 'string'
        ? openSqlite({ path: store, table, time: manual?.time })
        : openPostgres(store, { schema, table, unref, time })
    const [opened] = await withoutDoubt(Promise.all([opening, loadCroner()]))
    const clock = manual ?? makeSystemClock(opened, unref)
    if (manual) manual.isUsed = true
    try {
      const engine = makeEngine(opened, clock, options)
      await withoutDoubt(engine.start())
      return new DurableTimers(clock, engine)
    } catch (error) {
      clock.stop()
      await opened.close()
      throw error
    }
  }

  on(...args: unknown[]): void {
    const { name, handler, options } = argumentsOf('on', args)
    this.#engine.on(name, handler, options)
  }

  off(...args: unknown[]): boolean {
    return this.#engine.off(argumentsOf('off', args).name)
  }

  async pause(...args: unknown[]): Promise<void> {
    const { name, options } = argumentsOf('pause', args)
    await this.#engine.pause(name, true, options.everywhere)
  }

  async resume(...args: unknown[]): Promise<void> {
    const { name, options } = argumentsOf('resume', args)
    await this.#engine.pause(name, false, options.everywhere)
  }

  async set(...args: unknown[]): Promise<Timer> {
    const { name, options } = argumentsOf('set', args)
    const [row] = await this.#engine.set([newTimer(name, options, this.#engine.now())], options.db)
    return timerOf(row!)
  }

  async setMany(...args: unknown[]): Promise<Timer[]> {
    // All are checked before one is stored.
    const { name, rows, options } = argumentsOf('setMany', args)
    const now = this.#engine.now()
    const timers = rows.map((one, i) => newTimer(name, one, now, `rows[${i}].`))
    const stored: Timer[] = []
    for (const part of partsOf(timers)) {
      try {
        for (const row of await this.#engine.set(part, options.db)) stored.push(timerOf(row))
      } catch (error) {
        throw stored.length === 0 ? error : storedInPart(error, stored.length)
      }
    }
    return stored
  }

  async clear(...args: unknown[]): Promise<boolean> {
    const { name, key, options } = argumentsOf('clear', args)
    return this.#engine.clear(name, key, options.db)
  }

  async get(...args: unknown[]): Promise<Timer | undefined> {
    const { name, key, options } = argumentsOf('get', args)
    const row = await this.#engine.read('get', { name, key }, options.db)
    return row === null || row.due >= FAILED ? undefined : timerOf(row)
  }

  async *list(...args: unknown[]): AsyncGenerator<Timer, void> {
    const { name, before } = argumentsOf('list', args).options
    for await (const row of rowsOf(this.#engine.read, START, Math.min(before, FAILED), name))
      yield timerOf(row)
  }

  async *failed(...args: unknown[]): AsyncGenerator<Timer, void> {
    const { name, before } = argumentsOf('failed', args).options
    for await (const row of rowsOf(this.#engine.read, FAILED_FROM, FAILED + before, name)) yield timerOf(row)
  }

  async retry(...args: unknown[]): Promise<boolean> {
    const { id, options } = argumentsOf('retry', args)
    return this.#engine.retry(id, options.db)
  }

  async clearId(...args: unknown[]): Promise<boolean> {
    const { name, id } = argumentsOf('clearId', args)
    const rows = rowsOf(this.#engine.read, START, FAILED * 2, name)
    return (await this.#engine.removeAll(rows, (row) => row.id === id)) > 0
  }

  async clearMany(...args: unknown[]): Promise<number> {
    const { name, options } = argumentsOf('clearMany', args)
    const rows = rowsOf(this.#engine.read, START, FAILED, name)
    return this.#engine.removeAll(rows, ({ key }) => (key ?? '').startsWith(options.prefix))
  }

  async stats(...args: unknown[]): Promise<DurableStats> {
    const { name } = argumentsOf('stats', args).options
    const pending = await countOf(this.#engine.read, START, FAILED, name)
    const failed = await countOf(this.#engine.read, FAILED_FROM, FAILED * 2, name)
    return { pending, failed, ...this.#engine.stats(name) }
  }

  async advance(...args: unknown[]): Promise<void> {
    const { ms } = argumentsOf('advance', args)
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
      const awaited = this.#engine.running().filter((one) => !this.#waitedFor.has(one))
      if (!this.#engine.isIdle()) since = monotonic()
      else if (awaited.length === 0) return
      else if (monotonic() - since > PATIENCE) for (const one of awaited) this.#waitedFor.add(one)
      else await sleep(1)
    }
  }

  async close(...args: unknown[]): Promise<void> {
    const { timeout } = argumentsOf('close', args).options
    this.#closed ??= this.#engine.close(timeout)
    await this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
