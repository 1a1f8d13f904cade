/** A connection to an SQLite file. It prepares each statement once, and waits for the disk. */
import type { StatementSync, Value } from 'node:sqlite'
import { openDatabase } from './open-database.js'

export interface ConnectionOptions {
  path: string
  table: string
  /** The clock of the store, in milliseconds. */
  now: () => number
}

export type Connection = ReturnType<typeof connect>

/**
 * In the texts of statements, `@` stands for the name of the table, `@_process` for that of another one.
 *
 * @throws Error with the code of SQLite, or DurableError if the file is no store of this version
 */
export function connect({ path, table, now }: ConnectionOptions) {
  const database = openDatabase(path, table)
  const statements = new Map<string, StatementSync>()

  function sql(text: string): StatementSync {
    let statement = statements.get(text)
    if (statement === undefined) {
      statement = database.prepare(text.replace(/@(_\w+)?/g, `"${table}$1"`))
      statements.set(text, statement)
    }
    return statement
  }

  /** Returns how many rows have changed. */
  const run = (text: string, ...values: Value[]): number => sql(text).run(...values).changes

  /** Makes changes that no other connection can come between. @param work gets the time, which is read after the lock is taken */
  function transaction<T>(work: (now: number) => T): T {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work(Math.floor(now()))
      database.exec('COMMIT')
      return result
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // SQLite has already ended the transaction.
      }
      throw error
    }
  }

  return { sql, run, transaction, now, close: () => database.close() }
}
