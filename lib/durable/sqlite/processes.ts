/** The statements about processes: their leases, and the messages that they leave for each other. */
import type { Beat, Joined, News } from '../common/store.js'
import type { Connection } from './connection.js'

/** How long the end of a dead process's lease is kept, in milliseconds: it tells which of its timers it may have started. */
const DAY = 24 * 3_600_000

export class Processes {
  readonly #connection: Connection
  #version = -1

  constructor(connection: Connection) {
    this.#connection = connection
  }

  join(lease: number, horizon: number): Joined {
    return this.#connection.transaction((now) => {
      const until = now + lease
      const made = this.#connection.sql('INSERT INTO @process (until, horizon) VALUES (?, ?) RETURNING id')
      return { number: made.get(until, horizon)!.id as number, until }
    })
  }

  beat(owner: number, lease: number): Beat {
    const { sql, living } = this.#bound
    return this.#connection.transaction((now) => {
      const lives = living(now)
      const { changes } = sql('UPDATE @process SET until = ? WHERE id = ? AND @lives').run(
        now + lease,
        owner,
        ...lives,
      )
      sql('DELETE FROM @process WHERE abs(until) NOT BETWEEN ? AND ?').run(now - DAY, lives[1] + DAY)
      sql('DELETE FROM @message WHERE owner NOT IN (SELECT id FROM @process WHERE @lives)').run(...lives)
      const { nextEnd } = sql('SELECT min(until) AS nextEnd FROM @process WHERE id <> ? AND @lives').get(
        owner,
        ...lives,
      ) as { nextEnd: number | null }
      return {
        until: changes > 0 ? now + lease : undefined,
        others: this.#others(owner, now),
        nextEnd: nextEnd ?? undefined,
      }
    })
  }

  #others(owner: number, now: number): number {
    const { sql, living } = this.#bound
    const row = sql('SELECT count(*) AS n FROM @process WHERE id <> ? AND @lives').get(owner, ...living(now))
    return row!.n as number
  }

  /** Whether another connection has written since the last {@link news}. Cheap. */
  hasNews(): boolean {
    return this.#readVersion() !== this.#version
  }

  #readVersion(): number {
    return this.#connection.sql('PRAGMA data_version').get()!.data_version as number
  }

  news(owner: number): News {
    // Before the messages are read: what is written in between is read the next time.
    this.#version = this.#readVersion()
    const { sql, living } = this.#bound
    const now = this.#connection.now()
    const others = this.#others(owner, now)
    const alive = sql('SELECT 1 FROM @process WHERE id = ? AND @lives').get(owner, ...living(now))
    const isAlive = alive !== undefined
    if (sql('SELECT 1 FROM @message WHERE owner = ? LIMIT 1').get(owner) === undefined)
      return { isAlive, lost: [], soon: undefined, others }
    const messages = sql('DELETE FROM @message WHERE owner = ? RETURNING id, due').all(owner)
    return {
      isAlive,
      lost: messages.map(({ id }) => id as number).filter((id) => id > 0),
      soon: messages.find(({ id }) => id === 0)?.due as number | undefined,
      others,
    }
  }

  /** Sees to it that a process whose lease has lapsed does not live again if the clock is set back. @returns the end of the lease */
  bury(owner: number): number | undefined {
    const { sql } = this.#bound
    const until = sql('UPDATE @process SET until = -abs(until) WHERE id = ? RETURNING until').get(
      owner,
    )?.until
    return until === undefined ? undefined : -(until as number)
  }

  /** Tells the process that owns a row that it has lost it. */
  tellLost(owner: number, id: number, now: number): void {
    const { sql, living } = this.#bound
    sql('INSERT OR IGNORE INTO @message (owner, id) SELECT id, ? FROM @process WHERE id = ? AND @lives').run(
      id,
      owner,
      ...living(now),
    )
  }

  /** Tells other processes of a row that nobody holds, if it is due within their horizons. */
  tellSoon(owner: number, due: number, now: number): void {
    const { sql, living } = this.#bound
    sql(
      `INSERT INTO @message (owner, id, due) SELECT id, 0, ? FROM @process WHERE id <> ? AND ? <= ? + horizon AND @lives
       ON CONFLICT (owner, id) DO UPDATE SET due = min(due, excluded.due)`,
    ).run(due, owner, due, now, ...living(now))
  }

  leave(owner: number): void {
    const { sql } = this.#bound
    this.#connection.transaction((now) => {
      // What is due later, this process has not started.
      sql('UPDATE @process SET until = -? WHERE id = ?').run(now, owner)
      sql('DELETE FROM @message WHERE owner = ?').run(owner)
      // They look at all rows from the first on.
      this.tellSoon(owner, 0, now)
    })
  }

  get #bound(): Pick<Connection, 'sql' | 'living'> {
    const connection = this.#connection
    return { sql: (text) => connection.sql(text), living: (now) => connection.living(now) }
  }
}
