/**
 * Hears of messages that other processes have left, by LISTEN on a connection of its own that comes back by itself. Without it, as behind
 * pgbouncer, messages are read with each sign of life, and before timers start once other processes are known.
 */
import { sleep } from '../common/time.js'
import type { PostgresClient } from '../common/types.js'
import { isPool, type Pool } from './ask.js'

/**
 * Between two looks whether a silent connection still answers, how long it may take to answer, and before the next connection, in
 * milliseconds.
 */
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

export class Listener {
  readonly #channel: string
  readonly #isUnref: boolean
  readonly #heard: (payload: string) => void
  readonly #interval: number
  #isClosed = false
  #end: () => void = () => {}

  /** @param heard gets the text of a notification; after a new connection it is empty, because some were lost meanwhile */
  constructor(
    client: PostgresClient,
    channel: string,
    isUnref: boolean,
    heard: (payload: string) => void,
    interval = LOOK_INTERVAL,
  ) {
    this.#channel = channel
    this.#isUnref = isUnref
    this.#heard = heard
    this.#interval = interval
    if (canSpare(client)) void this.#persist(client)
    // These connect again by themselves.
    else if (isListening(client))
      client.listen(channel, heard).then(
        (end) => this.#keep(end),
        () => {},
      )
  }

  #keep(listening: unknown): void {
    const end =
      typeof listening === 'function' ? listening : (listening as { unlisten?: unknown } | null)?.unlisten
    this.#end = () => void (typeof end === 'function' && end())
    if (this.#isClosed) this.#end()
  }

  async #persist(pool: Pool): Promise<void> {
    while (!this.#isClosed) {
      // The pool reports the errors of its connections, and each statement fails too.
      await this.#listen(pool).catch(() => {})
      if (!this.#isClosed) await sleep(Math.min(this.#interval, WAIT), false)
    }
  }

  /** Rejects when the connection has ended, or does not answer. */
  async #listen(pool: Pool): Promise<void> {
    const connection = await pool.connect()
    if (this.#isUnref) connection.unref?.()
    const ended = new Promise<never>((_, reject) => {
      connection.on('error', reject)
      connection.on('end', reject)
      this.#end = () => reject()
    })
    ended.catch(() => {})
    try {
      connection.on('notification', ({ payload = '' }) => this.#heard(payload))
      await connection.query(`LISTEN ${this.#channel}`, [])
      this.#heard('')
      // The network can lose a connection without a word, and then its end never comes.
      while (!this.#isClosed) {
        await Promise.race([ended, sleep(this.#interval, false)])
        const late = sleep(Math.min(this.#interval, PATIENCE), false).then(() =>
          Promise.reject(new Error('no answer')),
        )
        await Promise.race([ended, late, connection.query('SELECT 1', [])])
      }
    } finally {
      connection.release(true)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#end()
  }
}
