/** A connection to an SQLite file. It prepares each statement once, and waits for the disk. */
import type { DatabaseSync, StatementSync, Value } from 'node:sqlite'
import { openDatabase } from './open-database.js'

export interface ConnectionOptions {
  path: string
  table: string
  /** The clock of the store, in milliseconds. */
  now: () => number
}

/** In the texts of statements, `@` stands for the name of the table, `@_process` for that of another one. */
export class Connection {
  protected readonly now: () => number
  readonly #database: DatabaseSync
  readonly #table: string
  readonly #statements = new Map<string, StatementSync>()

  /** @throws Error with the code of SQLite, or DurableError if the file is no store of this version */
  constructor({ path, table, now }: ConnectionOptions) {
    this.#database = openDatabase(path, table)
    this.#table = table
    this.now = now
  }

  protected sql(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text.replace(/@(_\w+)?/g, `"${this.#table}$1"`))
      this.#statements.set(text, statement)
    }
    return statement
  }

  /** Returns how many rows have changed. */
  protected run(text: string, ...values: Value[]): number {
    return this.sql(text).run(...values).changes
  }

  /** Makes changes that no other connection can come between. @param work gets the time, which is read after the lock is taken */
  protected transaction<T>(work: (now: number) => T): T {
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
