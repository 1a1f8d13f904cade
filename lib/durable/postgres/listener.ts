/**
 * Hears of messages that other processes have left, by LISTEN on a connection of its own that comes back by itself. Without it, as behind
 * pgbouncer, messages are read each time the lease is renewed, and before timers start if other processes are known.
 */
import { sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { ask, isPool, type Pool } from './ask.js'

/** Between two looks whether a connection answers, for its answer, and before the next connection, in milliseconds. */
const LOOK_INTERVAL = 30_000
const PATIENCE = 10_000
const WAIT = 500

/** PGlite and `postgres`. */
interface Listening {
  listen(channel: string, callback: (payload: string) => void): Promise<unknown>
}

/** A pool of one connection has none to spare. */
const canSpare = (client: object): client is Pool => isPool(client) && client.options?.max !== 1
const isListening = (client: object): client is Listening => 'listen' in client

/** @param heard gets what a notification says; '' after a new connection, because some were lost meanwhile; nothing at its end @returns what ends it */
export function listen(
  client: PostgresClient,
  channel: string,
  heard: (payload?: string) => void,
  interval = LOOK_INTERVAL,
): () => void {
  let isClosed = false
  let end: unknown

  /** @param listening what the client gives: a function, or an object with one */
  function keep(listening: unknown): void {
    end = (listening as { unlisten?: unknown } | null)?.unlisten ?? listening
    heard('')
    if (isClosed) close()
  }

  async function persist(pool: Pool): Promise<void> {
    while (!isClosed) {
      // The pool reports the errors of its connections, and each statement fails too.
      await listenOn(pool).catch(() => {})
      if (!isClosed) await sleep(Math.min(interval, WAIT), false)
    }
  }

  /** Rejects when the connection has ended, or does not answer. */
  async function listenOn(pool: Pool): Promise<void> {
    const connection = await pool.connect()
    const ended = new Promise<never>((_, reject) => {
      connection.on('error', reject)
      connection.on('end', reject)
      end = reject
    })
    ended.catch(() => {})
    try {
      connection.on('notification', ({ payload = '' }) => heard(payload))
      await ask(connection, `LISTEN ${channel}`, [])
      heard('')
      // The network can lose a connection without a word, and then its end never comes.
      while (!isClosed) {
        await Promise.race([ended, sleep(interval, false)])
        const answer = ask(connection, 'SELECT 1', [], undefined, Math.min(interval, PATIENCE))
        await Promise.race([ended, answer])
      }
    } finally {
      heard()
      connection.release(true)
    }
  }

  function close(): void {
    isClosed = true
    if (typeof end === 'function') end()
  }

  if (canSpare(client)) void persist(client)
  // These connect again by themselves.
  else if (isListening(client)) client.listen(channel, heard).then(keep, () => {})
  return close
}
