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
  /** In milliseconds. */
  readonly now: () => number
  readonly #database: DatabaseSync
  readonly #table: string
  readonly #statements = new Map<string, StatementSync>()

  /** @throws Error with the code of SQLite, or DurableError if the file is no store of this version */
  constructor({ path, table, now }: ConnectionOptions) {
    this.#database = openDatabase(path, table)
    this.#table = table
    this.now = now
  }

  #prepared(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text.replace(/@(_\w+)?/g, `"${this.#table}$1"`))
      this.#statements.set(text, statement)
    }
    return statement
  }

  /** Returns how many rows have changed. */
  run(text: string, ...values: Value[]): number {
    return this.#prepared(text).run(...values).changes
  }

  /** Reads the rows one by one. */
  rows<R>(text: string, ...values: Value[]): Iterable<R> {
    return this.#prepared(text).iterate(...values) as Iterable<unknown> as Iterable<R>
  }

  all<R>(text: string, ...values: Value[]): R[] {
    return this.#prepared(text).all(...values) as unknown[] as R[]
  }

  first<R>(text: string, ...values: Value[]): R | undefined {
    return this.#prepared(text).get(...values) as R | undefined
  }

  /** The first value of the first row; null if there is none. */
  value<V extends Value>(text: string, ...values: Value[]): V | null {
    return (Object.values(this.first<object>(text, ...values) ?? {})[0] as V | undefined) ?? null
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
