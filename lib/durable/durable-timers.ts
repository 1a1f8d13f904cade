/** Opens stores. The methods of an open store check their arguments and call the engine. */
import { cannotAdvance, closedStore, failValue, storedInPart, withoutDoubt } from './common/errors.js'
import { FAILED, FOREVER, START } from './common/rows.js'
import type { Row, Store } from './common/store.js'
import { HostDate, monotonic, setImmediate, sleep } from './common/time.js'
import type { DurableStats, DurableTimer } from './common/types.js'
import { current } from './engine/attempt.js'
import { type Clock, ManualClock, makeSystemClock } from './engine/clock.js'
import { type Engine, FAILED_FROM, makeEngine, type NewTimer } from './engine/engine.js'
import { rowsOf } from './engine/listing.js'
import { loadCroner, readRule } from './engine/rule.js'
import { argumentsOf, type CheckedTimer, firstDue, type Method } from './options.js'
import { openPostgres } from './postgres/postgres-store.js'
import { openSqlite } from './sqlite/sqlite-store.js'

/** Of `setMany`: so many rows, with so many characters of data, are stored in one transaction. */
const MOST_ROWS = 2_000
const MOST_CHARACTERS = 2 ** 22
/** Of more rows that may run here: as many as timers are acknowledged between two transactions. So this process can hold what it sets. */
const PART_ROWS = 500
/** No name of 512 bytes comes after it. */
const LAST_NAME = '\u{10ffff}'.repeat(128)
/** How long `advance` waits for handlers while nothing else happens, in milliseconds. */
const PATIENCE = 1_000

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
function* partsOf(timers: readonly NewTimer[], mayRun: boolean): Generator<NewTimer[]> {
  const most = mayRun && timers.length > MOST_ROWS ? PART_ROWS : MOST_ROWS
  const part: NewTimer[] = []
  let size = 0
  for (const timer of timers) {
    part.push(timer)
    size += timer.data?.length ?? 0
    if (part.length < most && size <= MOST_CHARACTERS) continue
    yield part.splice(0)
    size = 0
  }
  if (part.length > 0) yield part
}

/** A method that rejects if its arguments are wrong. Stack traces show its name. */
function method<M extends Method, R>(
  name: M,
  work: (args: ReturnType<typeof argumentsOf<M>>) => R | Promise<R>,
) {
  const call = async (...args: unknown[]): Promise<R> => work(argumentsOf(name, args))
  return Object.defineProperty(call, 'name', { value: name })
}

export async function open(...args: unknown[]) {
  const { store, options } = argumentsOf('open', args)
  const { clock: manual, lease, horizon, schema, table, ...more } = options
  if (manual?.isUsed) failValue('clock', 'one that no other open store has', manual)
  if (typeof store === 'string' && schema !== undefined)
    failValue('schema', 'absent, because the store is a file', schema)
  if (manual) manual.isUsed = true
  const opening: Promise<Store> =
    typeof store === 'string'
      ? openSqlite({ path: store, table, time: manual?.time })
      : openPostgres(store, { schema: schema ?? 'timeout_wheel', table, time: manual?.now })
  let clock: Clock | undefined = manual
  let opened: Store | undefined
  try {
    ;[opened] = await withoutDoubt(Promise.all([opening, loadCroner()]))
    clock ??= makeSystemClock(opened)
    // Time that a test moves is for one process. It has its lease for ever, and needs no claims but those that follow from the rows.
    const times = { horizon, lease: manual ? FOREVER : lease, pause: manual ? Infinity : horizon / 2 }
    const engine = makeEngine(opened, clock, { ...more, ...times })
    await withoutDoubt(engine.start())
    return makeTimers(engine, clock)
  } catch (error) {
    clock?.stop()
    await opened?.close()
    throw error
  }
}

function makeTimers(engine: Engine, clock: Clock) {
  /** Runs for which `advance` has waited long enough. */
  const waitedFor = new WeakSet<object>()
  let closed: Promise<void> | undefined

  /** Waits until the store has nothing to do, and for its handlers: once for those that wait for something else. */
  async function settle(): Promise<void> {
    for (let since = monotonic(); ; ) {
      await new Promise(setImmediate)
      const awaited = engine.running().filter((one) => !waitedFor.has(one))
      if (!engine.isIdle()) since = monotonic()
      else if (awaited.length === 0) return
      else if (monotonic() - since > PATIENCE) for (const one of awaited) waitedFor.add(one)
      else await sleep(1)
    }
  }

  return {
    on(...args: unknown[]): void {
      const { name, handler, options } = argumentsOf('on', args)
      engine.on(name, handler, options)
    },
    off: (...args: unknown[]): boolean => engine.off(argumentsOf('off', args).name),
    pause: method('pause', ({ name, options }) => engine.pause(name, true, options.everywhere)),
    resume: method('resume', ({ name, options }) => engine.pause(name, false, options.everywhere)),
    set: method('set', async ({ name, options }) => {
      const [row] = await engine.set([newTimer(name, options, clock.now())], options.db)
      return timerOf(row!)
    }),
    setMany: method('setMany', async ({ name, rows, options }) => {
      // All are checked before one is stored.
      const now = clock.now()
      const timers = rows.map((one, i) => newTimer(name, one, now, `rows[${i}].`))
      const stored: Timer[] = []
      for (const part of partsOf(timers, engine.handles(name))) {
        try {
          for (const row of await engine.set(part, options.db)) stored.push(timerOf(row))
        } catch (error) {
          throw stored.length === 0 ? error : storedInPart(error, stored.length)
        }
      }
      return stored
    }),
    clear: method('clear', ({ name, key, options }) => engine.clear(name, key, options.db)),
    get: method('get', async ({ name, key, options }) => {
      const row = await engine.read('get', { name, key }, options.db)
      return row === null || row.due >= FAILED ? undefined : timerOf(row)
    }),
    async *list(...args: unknown[]): AsyncGenerator<Timer, void> {
      const { name, before } = argumentsOf('list', args).options
      for await (const row of rowsOf(engine.read, START, Math.min(before, FAILED), name)) yield timerOf(row)
    },
    async *failed(...args: unknown[]): AsyncGenerator<Timer, void> {
      const { name, before } = argumentsOf('failed', args).options
      for await (const row of rowsOf(engine.read, FAILED_FROM, FAILED + before, name)) yield timerOf(row)
    },
    retry: method('retry', ({ id, options }) => engine.retry(id, options.db)),
    clearId: method('clearId', async ({ name, id }) => {
      const rows = rowsOf(engine.read, START, FAILED * 2, name)
      return (await engine.removeAll(rows, (row) => row.id === id)) > 0
    }),
    clearMany: method('clearMany', ({ name, options }) => {
      const rows = rowsOf(engine.read, START, FAILED, name)
      return engine.removeAll(rows, ({ key }) => (key ?? '').startsWith(options.prefix))
    }),
    stats: method('stats', async ({ options: { name } }): Promise<DurableStats> => {
      const counts = await engine.read('count', { from: name ?? '', to: name ?? LAST_NAME })
      return { ...counts, ...engine.stats(name) }
    }),
    advance: method('advance', async ({ ms }) => {
      if (!(clock instanceof ManualClock)) throw cannotAdvance('a store that was opened with a manual clock')
      if (current.getStore() !== undefined)
        throw cannotAdvance('a caller that is no handler: it waits for handlers')
      if (closed !== undefined) throw closedStore()
      const until = clock.now() + ms
      do await settle()
      while (closed === undefined && clock.next(until))
      await settle()
    }),
    close: method('close', ({ options }): Promise<void> => {
      closed ??= engine.close(options.timeout)
      return closed
    }),
  }
}
