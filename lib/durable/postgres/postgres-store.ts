/** A store in PostgreSQL, as the engine sees it: each call is one statement, through whatever the program has for its queries. */
import { outside } from '../common/context.js'
import { closedStore, DurableError, markCausedByOne } from '../common/errors.js'
import type {
  Beat,
  Change,
  Changed,
  Claim,
  Claimed,
  End,
  Ended,
  Joined,
  News,
  Portion,
  Position,
  Row,
  Store,
} from '../common/store.js'
import { clearInterval, monotonic, setInterval, sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { ask, codeOf, isAnswer } from './ask.js'
import { arrayOf, changeIn } from './changes.js'
import { Listener } from './listener.js'
import { migrationOf } from './schema.js'
import { ServerClock } from './server-clock.js'

/** Between two looks at the clock of the database, in milliseconds. */
const LOOK_INTERVAL = 1_000
/** Two changes met: a deadlock, a new row with the same key, a conflict of transactions. Nothing has changed. */
const CONFLICTS = new Set(['40P01', '23505', '40001'])
/** How long a statement is sent again after conflicts, and the longest wait between two tries, in milliseconds. */
const CONFLICT_TIME = 5_000
const LONGEST_WAIT = 200
const LOCKED = '55P03'
/** The table is there. */
const EXISTS = '42P07'
/** How long a change waits for the locks of other transactions, in milliseconds: one, and a part of many of which perhaps one waits. */
const ONE_LOCK = 2_000
const MANY_LOCKS = 50
/**
 * Classes of errors that one item of many can cause: a text that the encoding of the database lacks, a constraint, a limit, an error that
 * a trigger raises.
 */
const CAUSED_BY_ONE = [LOCKED, '0A', '21', '22', '23', '44', '54', 'P0']
/** Classes of errors after which it is unknown whether a transaction was committed: connections, and the end of the server. */
const DOUBTFUL = ['08', '57']
/** But for a statement that was cancelled. */
const CANCELLED = '57014'
/** Errors of a connection over which nothing was sent: those of the system, and of a server that refuses it. */
const NOT_SENT = new Set<unknown>(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])
const REFUSED = ['28', '3D', '53300', '57P03']
/** Classes of errors of a database that is no store: no such table or function, another type, data that cannot be read. */
const BROKEN = ['42', 'XX', '22', 'TW']

function errorOf(thrown: unknown): DurableError {
  if (thrown instanceof DurableError) return thrown
  const { code, syscall, message } = (thrown ?? {}) as {
    code?: unknown
    syscall?: unknown
    message?: unknown
  }
  const text = `PostgreSQL: ${String(message ?? thrown)}`
  const state = codeOf(thrown)
  const is = (classes: readonly string[]) => classes.some((one) => state.startsWith(one))
  if (NOT_SENT.has(code) || syscall === 'connect' || is(REFUSED))
    return new DurableError('ERR_DURABLE_UNAVAILABLE', text, thrown)
  if (!isAnswer(thrown) || (is(DOUBTFUL) && state !== CANCELLED))
    return new DurableError('ERR_DURABLE_DOUBT', text, thrown)
  const error = new DurableError(is(BROKEN) ? 'ERR_DURABLE_STORE' : 'ERR_DURABLE_UNAVAILABLE', text, thrown)
  return is(CAUSED_BY_ONE) ? markCausedByOne(error) : error
}

const patienceFor = ({ length }: readonly unknown[], wasDivided: boolean): number =>
  wasDivided && length > 1 ? MANY_LOCKS : ONE_LOCK

/** The first row of an answer: `pg` and PGlite give an object with rows, others the rows. */
function rowOf(result: unknown): Record<string, unknown> | undefined {
  const rows = Array.isArray(result) ? result : (result as { rows?: unknown } | null)?.rows
  return Array.isArray(rows) ? (rows[0] ?? undefined) : undefined
}

/** The one value of an answer. */
function answerOf(result: unknown): Record<string, unknown> & { now: number } {
  const text = rowOf(result)?.answer
  try {
    const answer = JSON.parse(text as string)
    if (Number.isSafeInteger(answer.now)) return answer
  } catch {
    // See below.
  }
  throw new DurableError(
    'ERR_DURABLE_DOUBT',
    'the method query must resolve to the rows, or to an object with the rows',
  )
}

/** Writes JSON and messages of `args` in ASCII, which each encoding of a database has. Names and keys stay as they are. */
function inAscii(args: Record<string, unknown>): object {
  const texts = (list: unknown): unknown =>
    (list as (string | null)[] | undefined)?.map(
      (text) =>
        text?.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) ??
        null,
    )
  return { ...args, data: texts(args.data), nextError: texts(args.nextError) }
}

export class PostgresStore implements Store {
  readonly #client: PostgresClient
  readonly #table: string
  readonly #isUnref: boolean
  readonly #clock = new ServerClock()
  /** Whether the encoding of the database has all characters. */
  #isUtf8 = false
  /** Whether the database can store a name of a handler. */
  readonly #canStore = new Map<string, boolean>()
  #isClosed = false
  #listener: Listener | undefined
  /** The number of this process. */
  #number = 0
  /** When the last answer came. */
  #answeredAt = 0
  /** Calls whose answers have not come. */
  #waits = 0
  readonly #looking: NodeJS.Timeout

  private constructor(client: PostgresClient, table: string, isUnref: boolean) {
    this.#client = client
    this.#table = table
    this.#isUnref = isUnref
    // So that a jump of the database's clock is noticed within a second, whatever else is asked.
    this.#looking = outside(() => setInterval(() => this.#look(), LOOK_INTERVAL))
    this.#looking.unref()
  }

  static async open(client: PostgresClient, table: string, isUnref = false): Promise<PostgresStore> {
    const store = new PostgresStore(client, table.toLowerCase(), isUnref)
    try {
      await store.#migrate()
      const encoding = "SELECT current_setting('server_encoding') AS encoding"
      store.#isUtf8 = rowOf(await ask(client, encoding, []))?.encoding === 'UTF8'
      await store.#call('time', {})
      return store
    } catch (thrown) {
      await store.close()
      throw errorOf(thrown)
    }
  }

  #look(): void {
    if (this.#waits > 0 || monotonic() - this.#answeredAt < LOOK_INTERVAL / 2) return
    // Other calls report what keeps the database from answering.
    this.#call('time', {}).catch(() => {})
  }

  async #migrate(): Promise<void> {
    const make = () => this.#persist(() => ask(this.#client, migrationOf(this.#table), []))
    try {
      await make()
    } catch (error) {
      // Above READ COMMITTED, a transaction that has waited for another process does not see what that has made.
      if (codeOf((error as DurableError).cause) !== EXISTS) throw error
      await make()
    }
  }

  /** Sends a call, again if other transactions are in its way. */
  #call(method: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    return this.#persist(() => this.#send(this.#client, method, args))
  }

  async #persist<T>(send: () => Promise<T>): Promise<T> {
    const end = monotonic() + CONFLICT_TIME
    for (let longest = 20; ; longest = Math.min(longest + 20, LONGEST_WAIT)) {
      if (this.#isClosed) throw closedStore()
      try {
        return await send()
      } catch (error) {
        if (!CONFLICTS.has(codeOf(error)) || monotonic() > end) throw errorOf(error)
      }
      await sleep(Math.random() * longest)
    }
  }

  async #send(
    client: PostgresClient,
    method: string,
    args: Record<string, unknown>,
  ): Promise<Record<string, unknown>> {
    const text = `SELECT ${this.#table}_${method}_1($1::text::jsonb)::text AS answer`
    const sent = monotonic()
    this.#waits++
    try {
      const json = JSON.stringify(this.#isUtf8 ? args : inAscii(args))
      const answer = answerOf(await ask(client, text, [json]))
      this.#clock.learn(sent, answer.now)
      this.#answeredAt = monotonic()
      return answer
    } finally {
      this.#waits--
    }
  }

  now(): number {
    return this.#clock.now()
  }

  onNews(callback: () => void): void {
    const heard = (payload: string): void => {
      if (payload === '' || payload.split(' ').includes(`${this.#number}`)) outside(callback)
    }
    this.#listener = outside(() => new Listener(this.#client, `${this.#table}_news`, this.#isUnref, heard))
  }

  async join(lease: number, horizon: number): Promise<Joined> {
    const joined = (await this.#call('join', { lease, horizon })) as unknown as Joined
    this.#number = joined.number
    return joined
  }

  async beat(owner: number, lease: number): Promise<Beat> {
    const { until, others, nextEnd } = (await this.#call('beat', { owner, lease })) as unknown as Beat
    return { until: until ?? undefined, others, nextEnd: nextEnd ?? undefined }
  }

  async claim(claim: Claim): Promise<Claimed> {
    const names = await this.#storable(claim.names)
    const claimed = (await this.#call('claim', { ...claim, names })) as unknown as Claimed
    return { ...claimed, next: claimed.next ?? undefined }
  }

  /** The names that the encoding of the database can store. A statement with another name fails. */
  async #storable(names: readonly string[]): Promise<readonly string[]> {
    if (this.#isUtf8) return names
    for (const name of names) {
      if (this.#canStore.has(name)) continue
      const isKnown = this.get(name, 'any').then(
        () => true,
        (error) => {
          // The encoding lacks a character. Another error says nothing of the name.
          if (codeOf((error as DurableError).cause).startsWith('22')) return false
          throw error
        },
      )
      this.#canStore.set(name, await isKnown)
    }
    return names.filter((name) => this.#canStore.get(name))
  }

  change(owner: number, changes: readonly Change[], wasDivided = false): Promise<Changed[]> {
    const send = (args: Record<string, unknown>) => this.#call('change', args)
    return changeIn(send, owner, changes, patienceFor(changes, wasDivided))
  }

  async end(owner: number, ends: readonly End[], wasDivided = false): Promise<Ended[]> {
    const patience = patienceFor(ends, wasDivided)
    const { ids } = await this.#call('end', { owner, patience, ...columnsOf(ends) })
    return (ids as (number | null)[]).map((id, i) => {
      if (id === null) return { isDone: false }
      return ends[i]!.next === undefined ? { isDone: true } : { isDone: true, id }
    })
  }

  async within(client: unknown, change: Change): Promise<Changed> {
    try {
      // As no process, so that this one hears of the timer too, when the program commits.
      const send = (args: Record<string, unknown>) => this.#send(client as PostgresClient, 'change', args)
      return (await changeIn(send, 0, [change], 0))[0]!
    } catch (error) {
      throw errorOf(error)
    }
  }

  async retry(owner: number, id: number, due: number): Promise<boolean> {
    return (await this.#call('retry', { owner, id, due })).isDone as boolean
  }

  async news(owner: number): Promise<News> {
    const news = (await this.#call('news', { owner })) as unknown as News
    return { ...news, soon: news.soon ?? undefined }
  }

  async leave(owner: number): Promise<void> {
    await this.#call('leave', { owner })
  }

  async get(name: string, key: string): Promise<Row | undefined> {
    return ((await this.#call('get', { name, key })).row as Row | null) ?? undefined
  }

  async portion(low: Position, before: number, name: string | undefined): Promise<Portion> {
    const { rows, next } = await this.#call('portion', { low, before, name })
    return { rows: rows as Row[], next: (next as Position | null) ?? undefined }
  }

  async count(low: Position, before: number): Promise<{ rows: number; next: Position | undefined }> {
    const { rows, next } = await this.#call('count', { low, before })
    return { rows: rows as number, next: (next as Position | null) ?? undefined }
  }

  async forget(before: number): Promise<boolean> {
    return (await this.#call('forget', { before: Math.floor(before) })).isCut as boolean
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#listener?.close()
  }
}

const columnsOf = (ends: readonly End[]): Record<string, unknown> => ({
  due: arrayOf(ends.map(({ due }) => due)),
  id: arrayOf(ends.map(({ id }) => id)),
  owners: arrayOf(ends.map(({ owner }) => owner)),
  fence: arrayOf(ends.map(({ fence }) => fence)),
  name: ends.map(({ name }) => name),
  key: ends.map(({ key }) => key),
  nextDue: arrayOf(ends.map(({ next }) => next?.due)),
  nextId: arrayOf(ends.map(({ next }) => next?.id)),
  nextOwner: arrayOf(ends.map(({ next }) => next?.owner)),
  nextTries: arrayOf(ends.map(({ next }) => next?.tries)),
  nextError: ends.map(({ next }) => next?.error ?? null),
})
