/** A store in PostgreSQL, as the engine sees it: each call is one statement, through whatever the program has for its queries. */
import { outside } from '../common/context.js'
import { closedStore, DurableError } from '../common/errors.js'
import type { Answer, Args, Method, Store } from '../common/store.js'
import { clearInterval, monotonic, setInterval, sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { ask, isPool } from './ask.js'
import { CONFLICTS, EXISTS, errorOf, isOf } from './errors.js'
import { Listener } from './listener.js'
import { channelOf, migrationOf } from './schema.js'
import { ServerClock } from './server-clock.js'

/** Between two looks at the clock of the database, in milliseconds. */
const LOOK_INTERVAL = 1_000
/** How long a statement is sent again after conflicts, and the longest wait between two tries, in milliseconds. */
const CONFLICT_TIME = 5_000
const LONGEST_WAIT = 200
/** The value that a function of the database has returned. `pg` and PGlite give an object with rows, others the rows. */
function answerOf(result: unknown): { now: number; value: unknown } {
  const rows = Array.isArray(result) ? result : (result as { rows?: unknown } | null)?.rows
  try {
    const answer = JSON.parse((rows as { answer: string }[])[0]!.answer)
    if (Number.isFinite(answer.now)) return answer
  } catch {
    // See below.
  }
  const message = 'the method query must resolve to the rows, or to an object with the rows'
  throw new DurableError('ERR_DURABLE_DOUBT', message)
}

interface PostgresOptions {
  schema: string
  table: string
  /** Whether a connection for `LISTEN` lets the process end. */
  unref?: boolean
  /** Time that a test moves; undefined: that of the database. */
  time?: (() => number) | undefined
}

export class PostgresStore implements Store {
  readonly #client: PostgresClient
  readonly #options: PostgresOptions
  readonly #clock = new ServerClock()
  #isClosed = false
  #listener: Listener | undefined
  #owner = 0
  /** When the last answer came. */
  #answeredAt = 0
  /** Calls whose answers have not come. */
  #waits = 0
  readonly #looking: NodeJS.Timeout

  private constructor(client: PostgresClient, options: PostgresOptions) {
    this.#client = client
    this.#options = options
    // So that a jump of the database's clock is noticed within a second, whatever else is asked.
    this.#looking = outside(() => setInterval(() => this.#look(), LOOK_INTERVAL))
    this.#looking.unref()
  }

  static async open(client: PostgresClient, options: PostgresOptions): Promise<PostgresStore> {
    const store = new PostgresStore(client, options)
    try {
      await store.#migrate()
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
    const { schema, table } = this.#options
    const make = () => this.#persist(() => ask(this.#client, migrationOf(schema, table), []))
    try {
      await make()
    } catch (error) {
      // Above READ COMMITTED, a transaction that has waited for another process does not see what that has made.
      if (!isOf([EXISTS], (error as DurableError).cause)) throw error
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
        if (!isOf(CONFLICTS, error) || monotonic() > end) throw errorOf(error)
      }
      await sleep(Math.random() * longest)
    }
  }

  async #send(client: PostgresClient, method: string, args: object): Promise<unknown> {
    const { schema, table, time } = this.#options
    const text = `SELECT "${schema}"."${table}_${method}_1"($1::text::jsonb)::text AS answer`
    const sent = monotonic()
    this.#waits++
    try {
      const timed = time === undefined ? args : { ...args, now: Math.floor(time()) }
      const answer = answerOf(await ask(client, text, [JSON.stringify(timed)]))
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
    return this.#options.time?.() ?? this.#clock.now()
  }

  least(): number {
    return this.#options.time?.() ?? this.#clock.least()
  }

  onNews(callback: () => void): void {
    const heard = (payload: string): void => {
      if (payload === '' || payload.split(' ').includes(`${this.#owner}`)) outside(callback)
    }
    const { schema, table, unref = false } = this.#options
    const channel = channelOf(schema, table)
    this.#listener = outside(() => new Listener(this.#client, channel, unref, heard))
  }

  /** Sends a statement, again if other transactions are in its way. */
  async call<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>> {
    if (method === 'join') this.#owner = (args as Args<'join'>).owner
    return (await this.#persist(() => this.#send(this.#client, method, args))) as Answer<M>
  }

  async within<M extends Method>(client: unknown, method: M, args: Args<M>): Promise<Answer<M>> {
    try {
      return (await this.#send(client as PostgresClient, method, args)) as Answer<M>
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
