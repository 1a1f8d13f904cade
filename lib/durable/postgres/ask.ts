/**
 * Sends queries, and tells by their errors whether they were sent. The method `query` of a pool does not tell, so a query takes a
 * connection of the pool first. Without a connection, it is never sent.
 */
import { callHere } from '../common/context.js'
import { DurableError } from '../common/errors.js'
import { atMost } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { isAnswer } from './errors.js'

/** What `pg` gives for a connection of a pool. */
export interface Connection extends PostgresClient {
  on(event: string, callback: (value: { payload?: string }) => void): void
  off(event: string, callback: (value: { payload?: string }) => void): void
  /** @param destroy whether the pool ends the connection */
  release(destroy: boolean): void
}

/** The pool of `pg`, and those like it. */
export interface Pool {
  connect(): Promise<Connection>
  readonly totalCount: number
  readonly options?: { max?: number }
  /** Whether `end` was called. It waits for all connections. */
  readonly ending?: boolean
}

export const isPool = (client: object): client is Pool => 'connect' in client && 'totalCount' in client

const within = <T>(ms: number, work: Promise<T>, code: DurableError['code'], what: string): Promise<T> =>
  atMost(ms, work, () => {
    throw new DurableError(code, `PostgreSQL: no ${what} within ${ms} ms`)
  })

async function connect(pool: Pool, patience: number): Promise<Connection> {
  const connecting = callHere(async (from) => from.connect(), pool)
  try {
    return await within(patience, connecting, 'ERR_DURABLE_UNAVAILABLE', 'connection of the pool')
  } catch (error) {
    // The connection may come later.
    connecting.then(
      (connection) => connection.release(false),
      () => {},
    )
    if (error instanceof DurableError) throw error
    throw new DurableError('ERR_DURABLE_UNAVAILABLE', `PostgreSQL: ${(error as Error).message}`, error)
  }
}

/** The query reports the error of its connection. Without a listener, the error would also be uncaught. */
const ignore = (): void => {}

/** Sends a query. The patience is in milliseconds. @throws DurableError if the query was not sent, or if no answer came in time; else the error of the client */
export async function ask(
  client: PostgresClient,
  text: string,
  params: unknown[],
  toConnect = 10_000,
  toAnswer = 30_000,
): Promise<unknown> {
  const query = (to: PostgresClient) => callHere((on) => on.query(text, params), to)
  const send = (to: PostgresClient) => within(toAnswer, query(to), 'ERR_DURABLE_DOUBT', 'answer')
  if (!isPool(client)) return send(client)
  const connection = await connect(client, toConnect)
  let isUsable = false
  connection.on('error', ignore)
  try {
    const result = await send(connection)
    isUsable = true
    return result
  } catch (error) {
    isUsable = isAnswer(error)
    throw error
  } finally {
    connection.off('error', ignore)
    connection.release(!isUsable)
  }
}
