/** A store in PostgreSQL, as the engine sees it: each call is one statement, through whatever the program has for its queries. */
import { outside } from '../common/context.js'
import { closedStore, DurableError } from '../common/errors.js'
import type { Args, Store } from '../common/store.js'
import { clearInterval, monotonic, setInterval, sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { ask, isPool } from './ask.js'
import { CONFLICTS, errorOf, isOf } from './errors.js'
import { listen } from './listener.js'
import { CHANNEL, migrationOf } from './schema.js'
import { makeServerClock } from './server-clock.js'

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

/** @param time that a test moves; undefined: that of the database @throws DurableError if the database cannot be used */
export async function openPostgres(
  client: PostgresClient,
  { schema, table, time }: { schema: string; table: string; time?: (() => number) | undefined },
): Promise<Store> {
  const clock = makeServerClock()
  let isClosed = false
  let endListening: (() => void) | undefined
  /** Whether this process has got a notification that it has sent to itself. Behind pgbouncer, LISTEN succeeds, but none comes. */
  let isTold = false
  const proof = crypto.randomUUID()
  const prove = `SELECT pg_catalog.pg_notify('${CHANNEL}', $1)`
  /** The number of this process. */
  let owner = 0
  /** Calls whose answers have not come. */
  let waits = 0
  // So that a jump of the database's clock is noticed within a second, whatever else is asked.
  const looking = outside(() => setInterval(look, LOOK_INTERVAL))
  looking.unref()

  const isGone = (): boolean => isPool(client) && client.ending === true

  function look(): void {
    if (isGone()) endListening?.()
    if (waits > 0) return
    // Other calls report what keeps the database from answering.
    send(client, 'time', {}).catch(() => {})
  }

  /** Sends a statement, again if other transactions are in its way. */
  async function persist<T>(sending: () => Promise<T>): Promise<T> {
    const end = monotonic() + CONFLICT_TIME
    for (let longest = 20; ; longest = Math.min(longest + 20, LONGEST_WAIT)) {
      if (isClosed) throw closedStore()
      try {
        return await sending()
      } catch (error) {
        if (!isOf(CONFLICTS, error) || monotonic() > end) throw errorOf(error)
      }
      await sleep(Math.random() * longest)
    }
  }

  async function send(to: PostgresClient, method: string, args: object): Promise<unknown> {
    const text = `SELECT "${schema}"."${table}_${method}_1"($1::text::jsonb)::text AS answer`
    const sent = monotonic()
    waits++
    try {
      const timed = time === undefined ? args : { ...args, now: Math.floor(time()) }
      const { now, value } = answerOf(await ask(to, text, [JSON.stringify(timed)]))
      clock.learn(sent, now)
      return value
    } finally {
      waits--
    }
  }

  async function call(method: string, args: object): Promise<unknown> {
    if (method === 'join') owner = (args as Args<'join'>).owner
    return persist(() => send(client, method, args))
  }

  async function close(): Promise<void> {
    isClosed = true
    clearInterval(looking)
    endListening?.()
  }

  try {
    await persist(() => ask(client, migrationOf(schema, table), []))
    await call('time', {})
  } catch (thrown) {
    await close()
    throw errorOf(thrown)
  }
  return {
    now: time ?? clock.now,
    least: time ?? clock.least,
    onNews(callback) {
      const heard = (payload?: string): void => {
        if (payload === '' && !isClosed) ask(client, prove, [proof]).catch(() => {})
        isTold = payload === proof || (isTold && payload !== undefined)
        if (payload === '' || payload === `${owner}`) outside(callback)
      }
      endListening = outside(() => listen(client, CHANNEL, heard))
    },
    isTold: () => isTold,
    call: call as Store['call'],
    within: (db, method, args) =>
      send(db as PostgresClient, method, args).catch((thrown) => Promise.reject(errorOf(thrown))) as never,
    isGone,
    close,
  }
}
