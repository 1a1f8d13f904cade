/** A PostgreSQL for a test: a database of its own on the server that TIMEOUT_WHEEL_POSTGRES names, or PGlite. */
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { PostgresClient } from 'timeout-wheel/durable'

export interface TestDatabase {
  readonly client: PostgresClient
  /** Of a database on a server. */
  readonly url?: string
  query(text: string, params?: unknown[]): Promise<unknown>
  /** Commits what a program does, or rolls it back if that rejects. */
  transaction<T>(work: (db: PostgresClient) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface Pool {
  connect(): Promise<PostgresClient & { release(): void }>
}

let made = 0

/** @param encoding of a database on a server; undefined: UTF8 */
export async function newDatabase(encoding?: string): Promise<TestDatabase> {
  const url = process.env.TIMEOUT_WHEEL_POSTGRES
  if (url === undefined) {
    const client = await PGlite.create()
    return {
      client,
      query: (text, params) => client.query(text, params),
      transaction: (work) => client.transaction((db) => work(db)),
      close: () => client.close(),
    }
  }
  const name = `test_${process.pid}_${++made}`
  const admin = new pg.Pool({ connectionString: url, max: 1 })
  const how = encoding === undefined ? '' : ` ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`
  // A test that has failed may have left it.
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`, [])
  await admin.query(`CREATE DATABASE ${name}${how}`, [])
  const own = url.replace(/postgres$/, name)
  const client = new pg.Pool({ connectionString: own, max: 4 })
  // The end of the database ends connections that are still in use.
  client.on('error', () => {})
  const close = async () => {
    await client.end()
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`, [])
    await admin.end()
  }
  const transaction = async <T>(work: (db: PostgresClient) => Promise<T>): Promise<T> => {
    const db = await (client as unknown as Pool).connect()
    try {
      await db.query('BEGIN', [])
      const result = await work(db)
      await db.query('COMMIT', [])
      return result
    } catch (error) {
      await db.query('ROLLBACK', [])
      throw error
    } finally {
      db.release()
    }
  }
  return { client, url: own, transaction, query: (text, params = []) => client.query(text, params), close }
}
