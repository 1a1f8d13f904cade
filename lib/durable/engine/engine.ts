/**
 * The engine of an open store. It claims the timers that are due within its horizon (claims.ts) and holds them (held.ts). When they are due
 * it runs them (runs.ts), and then it ends them in the database (ends.ts). It does all this under a lease (lease.ts).
 */
import { closedStore, DurableError, failValue, withoutDoubt } from '../common/errors.js'
import { after, clearing, FAILED, FRESH, refOf } from '../common/rows.js'
import type { Answer, Args, Change, Changed, Method, Position, Ref, Row, Store } from '../common/store.js'
import { atMost } from '../common/time.js'
import type { DurableStats } from '../common/types.js'
import { current } from './attempt.js'
import type { OnError } from './background.js'
import { makeClaims } from './claims.js'
import type { Clock } from './clock.js'
import { makeEnds } from './ends.js'
import { makeGroupCommit, PART } from './group-commit.js'
import { type HandlerFunction, type HandlerOptions, makeHandler } from './handler.js'
import { makeLease } from './lease.js'
import { rowsOf } from './listing.js'
import { makeRuns } from './runs.js'

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

export type Engine = ReturnType<typeof makeEngine>

export function makeEngine(store: Store, clock: Clock, options: EngineOptions) {
  const { lease: length, horizon, retention } = options
  const lease = makeLease(store, clock, options)
  const { background, held, newId } = lease
  const claims = makeClaims(lease, horizon, options.pause)
  const changes = makeGroupCommit(lease, 'change', (owner, changes: Change[], isWhole) => {
    return { owner, changes, isWhole }
  })
  const ends = makeEnds(lease, claims)
  const plan = makeRuns(lease, ends)
  let isClosing = false

  async function start(): Promise<void> {
    store.onNews(lease.hear)
    await lease.join()
    background.every(length / 3, lease.beat)
    if (retention !== Infinity) background.every(Math.min(Math.max(retention / 100, MINUTE), HOUR), forget)
  }

  /** Removes timers that failed long ago. */
  async function forget(): Promise<void> {
    const before = FAILED + Math.floor(clock.now() - retention)
    await removeAll(rowsOf((method, args) => lease.ask(method, () => args), FAILED_FROM, before))
  }

  function checkOpen(): void {
    if (isClosing) throw closedStore()
  }

  /** @param name undefined: of all names */
  function stats(name?: string): Omit<DurableStats, 'pending' | 'failed'> {
    const counts = { held: 0, running: 0, ran: 0, failures: 0 }
    const late: number[] = []
    for (const handler of held.handlers.values()) {
      if (name !== undefined && handler.name !== name) continue
      counts.held += handler.waiting.size
      counts.running += handler.running.size
      counts.ran += handler.ran
      counts.failures += handler.failures
      late.push(...handler.lateness)
    }
    late.sort((a, b) => a - b)
    const at = (share: number): number => late[Math.floor(late.length * share)] ?? 0
    return { ...counts, lateness: { p50: at(0.5), p99: at(0.99) } }
  }

  function on(name: string, run: HandlerFunction, options: HandlerOptions): void {
    checkOpen()
    const present = held.handlers.get(name)
    if (present === undefined) {
      held.handlers.set(name, makeHandler(name, run, options, clock, horizon, plan, claims.want))
      held.expect(name, 0)
      // It may be paused in all processes.
      return lease.hear()
    }
    const message = `the timers ${JSON.stringify(name)} have a handler already`
    if (!present.stops.has('off')) throw new DurableError('ERR_DURABLE_HANDLER', message)
    Object.assign(present, { run, options })
    present.stop('off', false)
  }

  /** Ends the work of a handler. What it runs goes on. @returns whether there was one */
  function off(name: string): boolean {
    const handler = held.handlers.get(name)
    if (handler === undefined || handler.stops.has('off')) return false
    handler.stop('off', true)
    return true
  }

  /** Pauses a name, or ends the pause, in this process, or in all. */
  async function pause(name: string, isPaused: boolean, inAll: boolean): Promise<void> {
    checkOpen()
    if (inAll) {
      await send('pause', { name, isPaused })
      return lease.hear()
    }
    held.handlers.get(name)?.stop('paused here', isPaused)
    await claims.busy
  }

  /** Stores timers in one transaction, all or none. No key comes twice. @param db the transaction, if it is the program's */
  async function set(timers: readonly NewTimer[], db?: unknown): Promise<Row[]> {
    const made = timers.map((timer): Change => ({ ...timer, id: newId(), owner: 0 }))
    const changed = await change(made, db)
    return changed.map((one, i) => {
      const { name, key, ifExists } = made[i]!
      if (!one?.present || one.isDone || ifExists !== 'throw') return one?.present ?? rowOf(made[i]!)
      const which = `${JSON.stringify(name)} with the key ${JSON.stringify(key)}`
      throw new DurableError('ERR_DURABLE_EXISTS', `there is a timer ${which} already`)
    })
  }

  /** @param db as in `set` */
  async function clear(name: string, key: string, db?: unknown): Promise<boolean> {
    const [changed] = await change([clearing(name, key)], db)
    return changed?.isDone === true
  }

  async function change(made: readonly Change[], db: unknown): Promise<Changed[]> {
    checkOpen()
    // A handler of this store that sets or clears its own key goes on.
    const attempt = current.getStore()
    const isOwn = ({ name, key }: Change) => attempt?.row.name === name && attempt.row.key === key
    if (attempt !== undefined && held.handlers.get(attempt.row.name)?.running.has(attempt))
      attempt.isOwn ||= made.some(isOwn)
    // As no process, so that this one hears of the timers too when the program commits.
    if (db !== undefined) return send('change', { owner: 0, changes: made, isWhole: true }, db)
    const isAlone = made.length > 1 && made.some(({ ifExists }) => ifExists === 'throw')
    return new Promise((resolve, reject) => {
      changes.add({
        keys: made.flatMap(({ name, key }) => (key === null ? [] : `${name}\0${key}`)),
        size: made.reduce((sum, { data }) => sum + PART + (data?.length ?? 0), isAlone ? Infinity : 0),
        send: () => withHolders(made),
        apply(changed) {
          for (const [i, one] of made.entries()) apply(one, changed[i]!)
          resolve(changed)
        },
        fail: reject,
      })
    })
  }

  /** Decides who holds timers that are set. */
  function withHolders(made: readonly Change[]): Change[] {
    let others = 0
    for (const one of made) {
      // An update may keep another due time.
      if (one.ifExists !== 'clear' && one.ifExists !== 'update')
        one.owner = claims.holder(one.name, one.due, others)
      if (one.owner !== 0) others++
    }
    return [...made]
  }

  function apply(change: Change, changed: Changed): void {
    if (changed?.removed) held.lose(changed.removed)
    if (change.ifExists !== 'clear' && changed?.isDone !== false)
      claims.stored(changed?.present ?? rowOf(change), change.owner)
  }

  /** Sends a statement that gives the process no rows. @param db as in `set` */
  async function send<M extends Method>(method: M, args: Args<M>, db?: unknown): Promise<Answer<M>> {
    checkOpen()
    if (db === undefined) return store.call(method, args)
    if (store.within === undefined) failValue('db', 'absent, because the store is a file of SQLite', db)
    return store.within(db, method, args)
  }

  /** Sends a statement that changes nothing: after a lost answer, nothing is in doubt. */
  const read: typeof send = (method, args, db) => withoutDoubt(send(method, args, db))

  /** Removes rows, in portions. @returns how many of them were there */
  async function removeAll(
    rows: AsyncIterable<Row>,
    isOne: (row: Row) => boolean = () => true,
  ): Promise<number> {
    const found: Ref[] = []
    let count = 0
    const lose = (removed: readonly string[]): void => {
      for (const id of removed) held.lose(id)
      count += removed.length
    }
    const remove = () => lease.ask('remove', (owner) => ({ owner, rows: found.splice(0) }), lose)
    for await (const row of rows) {
      if (isOne(row)) found.push(refOf(row))
      if (found.length === PORTION) await remove()
    }
    if (found.length > 0) await remove()
    return count
  }

  /** Runs a failed timer again. @param db as in `set` @returns whether there was one */
  async function retry(id: string, db?: unknown): Promise<boolean> {
    const due = Math.floor(clock.now())
    const name = await send('retry', { id, due }, db)
    if (name !== null) held.expect(name, due)
    return name !== null
  }

  /** @param timeout milliseconds for the handlers that run */
  async function close(timeout: number): Promise<void> {
    isClosing = true
    if (store.isGone?.()) for (const attempt of held.all('waits', 'ends')) held.drop(attempt)
    for (const handler of held.handlers.values()) handler.stop('closed', true)
    const ended = Promise.all([claims.busy, changes.busy, ends.commits.busy, held.whenEmpty()])
    await atMost<unknown>(timeout, ended, () => {})
    for (const attempt of held.giveUp(closedStore())) ends.giveUp(attempt)
    await atMost(LAST_STATEMENTS, leave().catch(background.report), () => {})
    background.isEnded = true
    clock.stop()
    await store.close()
  }

  async function leave(): Promise<void> {
    // They may have brought more to hold.
    await Promise.all([claims.busy, changes.busy])
    ends.giveBack(held.all('waits'))
    await ends.commits.busy
    await lease.leave()
  }

  return {
    ...{ start, stats, on, off, pause, set, clear, read, removeAll, retry, close },
    /** Attempts whose handlers run. */
    running: () => held.running,
    handles: (name: string): boolean => held.handlers.get(name)?.isActive === true,
    /** Whether nothing is under way but handlers. */
    isIdle(): boolean {
      const isBusy = [claims, changes, ends.commits].some(({ busy }) => busy !== undefined)
      return !isBusy && lease.isIdle && [...held.handlers.values()].every(({ isStarting }) => !isStarting)
    },
  }
}
