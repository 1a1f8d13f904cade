/** A store in PostgreSQL, as the engine sees it: each call is one statement, through whatever the program has for its queries. */
import { outside } from '../common/context.js'
import { closedStore, DurableError, markCausedByOne } from '../common/errors.js'
import type { Answer, Args, ClaimedOf, Method, Store } from '../common/store.js'
import { clearInterval, monotonic, setInterval, sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { ask, codeOf, isAnswer, isPool } from './ask.js'
import { Listener } from './listener.js'
import { channelOf, migrationOf } from './schema.js'
import { ServerClock } from './server-clock.js'
import { answerIn, wireOf } from './wire.js'

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

/** Writes JSON and messages of arguments in ASCII, which each encoding of a database has. Names and keys stay as they are. */
function inAscii(args: { items?: Record<string, unknown> }): object {
  const texts = (list: unknown): unknown =>
    (list as (string | null)[] | undefined)?.map(
      (text) =>
        text?.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`) ??
        null,
    )
  const { items } = args
  if (items === undefined) return args
  return { ...args, items: { ...items, data: texts(items.data), error: texts(items.error) } }
}

export class PostgresStore implements Store {
  readonly #client: PostgresClient
  readonly #schema: string
  readonly #table: string
  /** Of notifications. */
  readonly #channel: string
  readonly #isUnref: boolean
  /** Time that a test moves; undefined: that of the database. */
  readonly #time: (() => number) | undefined
  readonly #clock = new ServerClock()
  /** Whether the encoding of the database has all characters. */
  #isUtf8 = false
  /** Whether the database can store a name of a handler. */
  readonly #canStore = new Map<string, boolean>()
  #isClosed = false
  #listener: Listener | undefined
  #process = 0
  /** When the last answer came. */
  #answeredAt = 0
  /** Calls whose answers have not come. */
  #waits = 0
  readonly #looking: NodeJS.Timeout

  private constructor(
    client: PostgresClient,
    schema: string,
    table: string,
    isUnref: boolean,
    time: (() => number) | undefined,
  ) {
    this.#client = client
    this.#schema = schema
    this.#table = table
    this.#channel = channelOf(schema, table)
    this.#isUnref = isUnref
    this.#time = time
    // So that a jump of the database's clock is noticed within a second, whatever else is asked.
    this.#looking = outside(() => setInterval(() => this.#look(), LOOK_INTERVAL))
    this.#looking.unref()
  }

  static async open(
    client: PostgresClient,
    schema: string,
    table: string,
    isUnref = false,
    time?: () => number,
  ): Promise<PostgresStore> {
    const store = new PostgresStore(client, schema, table, isUnref, time)
    try {
      await store.#migrate()
      const encoding = "SELECT current_setting('server_encoding') AS encoding"
      store.#isUtf8 = rowOf(await ask(client, encoding, []))?.encoding === 'UTF8'
      await store.#persist(() => store.#send(store.#client, 'time', {}))
      return store
    } catch (thrown) {
      await store.close()
      throw errorOf(thrown)
    }
  }

  #look(): void {
    if (this.isGone) this.#listener?.close()
    if (this.#waits > 0 || monotonic() - this.#answeredAt < LOOK_INTERVAL / 2) return
    // Other calls report what keeps the database from answering.
    this.#send(this.#client, 'time', {}).catch(() => {})
  }

  async #migrate(): Promise<void> {
    const make = () => this.#persist(() => ask(this.#client, migrationOf(this.#schema, this.#table), []))
    try {
      await make()
    } catch (error) {
      // Above READ COMMITTED, a transaction that has waited for another process does not see what that has made.
      if (codeOf((error as DurableError).cause) !== EXISTS) throw error
      await make()
    }
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

  async #send(client: PostgresClient, method: string, args: object): Promise<unknown> {
    const text = `SELECT "${this.#schema}"."${this.#table}_${method}_1"($1::text::jsonb)::text AS answer`
    const sent = monotonic()
    this.#waits++
    try {
      const timed = this.#time === undefined ? args : { ...args, now: Math.floor(this.#time()) }
      const json = JSON.stringify(this.#isUtf8 ? timed : inAscii(timed))
      const answer = answerOf(await ask(client, text, [json]))
      this.#clock.learn(sent, answer.now)
      this.#answeredAt = monotonic()
      return answer.value
    } finally {
      this.#waits--
    }
  }

  get isGone(): boolean {
    return isPool(this.#client) && this.#client.ending === true
  }

  now(): number {
    return this.#time?.() ?? this.#clock.now()
  }

  least(): number {
    return this.#time?.() ?? this.#clock.least()
  }

  onNews(callback: () => void): void {
    const heard = (payload: string): void => {
      if (payload === '' || payload.split(' ').includes(`${this.#process}`)) outside(callback)
    }
    this.#listener = outside(() => new Listener(this.#client, this.#channel, this.#isUnref, heard))
  }

  /** Sends a statement, again if other transactions are in its way. */
  async call<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>> {
    if (method === 'claim' && !this.#isUtf8) return (await this.#claim(args as Args<'claim'>)) as Answer<M>
    if (method === 'join') this.#process = (args as Args<'join'>).process
    return this.#ask(method, args)
  }

  async #ask<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>> {
    const value = await this.#persist(() => this.#send(this.#client, method, wireOf(method, args)))
    return answerIn(method, args, value)
  }

  /** Claims of the names that the encoding of the database can store. A statement with another name fails. */
  async #claim({ owner, names }: Args<'claim'>): Promise<ClaimedOf[] | null> {
    for (const { name } of names) {
      if (this.#canStore.has(name)) continue
      const isKnown = this.#ask('get', { name, key: 'any' }).then(
        () => true,
        (error) => {
          // The encoding lacks a character. Another error says nothing of the name.
          if (codeOf((error as DurableError).cause).startsWith('22')) return false
          throw error
        },
      )
      this.#canStore.set(name, await isKnown)
    }
    const known = names.filter(({ name }) => this.#canStore.get(name))
    const claimed = await this.#ask('claim', { owner, names: known })
    const nothing = { rows: [], isCut: false, hasSkipped: false, next: null }
    return claimed && names.map((one) => claimed[known.indexOf(one)] ?? { ...nothing, upTo: one.low })
  }

  async within<M extends Method>(client: unknown, method: M, args: Args<M>): Promise<Answer<M>> {
    try {
      const wire = { ...wireOf(method, args), patience: 0 }
      return answerIn(method, args, await this.#send(client as PostgresClient, method, wire))
    } catch (error) {
      throw errorOf(error)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#looking)
    this.#listener?.close()
  }
}
