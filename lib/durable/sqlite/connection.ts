/** A connection to an SQLite file: prepared statements and transactions. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openDatabase } from './open-database.js'

export interface ConnectionOptions {
  path: string
  table: string
  /** The clock of the store. */
  now: () => number
  /** See store.ts. */
  longestLease: number
}

/** The condition under which a process lives. Its parameters: see {@link Connection.living}. */
const LIVES = 'until > ? AND until <= ?'

export class Connection {
  readonly now: () => number
  readonly #database: DatabaseSync
  readonly #table: string
  readonly #longestLease: number
  readonly #statements = new Map<string, StatementSync>()

  /** @throws Error with the code of SQLite, or DurableError if the file is no store of this version */
  constructor({ path, table, now, longestLease }: ConnectionOptions) {
    this.#database = openDatabase(path, table)
    this.#table = table
    this.#longestLease = longestLease
    this.now = now
  }

  /** A prepared statement. `@timer`, `@process`, `@message` and `@number` stand for the tables, `@lives` for a condition. */
  sql(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      const table = this.#table
      statement = this.#database.prepare(
        text
          .replaceAll('@lives', LIVES)
          .replace(/@(process|message|number)\b/g, `${table}_$1`)
          .replace(/@timer\b/g, table),
      )
      this.#statements.set(text, statement)
    }
    return statement
  }

  /** The parameters of `@lives`. */
  living(now: number): [number, number] {
    return [now, now + this.#longestLease]
  }

  /** Makes changes that no other connection can come between. @param work gets the time, which is read after the lock is taken */
  transaction<T>(work: (now: number) => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work(Math.floor(this.now()))
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      try {
        this.#database.exec('ROLLBACK')
      } catch {
        // SQLite has already ended the transaction.
      }
      throw error
    }
  }

  close(): void {
    this.#database.close()
  }
}
