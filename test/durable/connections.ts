/** Connections of processes of the model to a store in either dialect. Their time is that of the model. */

import { LONGEST_LEASE, type Store } from '../../lib/durable/common/store.js'
import { PostgresStore } from '../../lib/durable/postgres/postgres-store.js'
import { Database } from '../../lib/durable/sqlite/database.js'
import type { TestDatabase } from './database.js'
import type { Connection } from './world.js'

export type Connect = (now: () => number) => Promise<Connection>

const call = (store: object, method: keyof Store, args: unknown[]): unknown =>
  Reflect.apply(Reflect.get(store, method), store, args)

export const onSqlite =
  (path: string): Connect =>
  async (now) => {
    const database = new Database({ path, table: 'timers', now, longestLease: LONGEST_LEASE })
    return {
      call: (method, args) => call(database, method, args),
      has: (method) => method in database,
      hasNews: () => database.hasNews(),
      close: () => database.close(),
    }
  }

/** Makes the time of a store that which the test writes into a table. */
export async function setOwnClock(
  { query }: TestDatabase,
  table: string,
): Promise<(now: number) => Promise<unknown>> {
  await query(`CREATE TABLE ${table}_clock (ms bigint)`)
  await query(`INSERT INTO ${table}_clock VALUES (0)`)
  await query(
    `CREATE OR REPLACE FUNCTION ${table}_now_1() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT ms FROM ${table}_clock'`,
  )
  return (now) => query(`UPDATE ${table}_clock SET ms = $1`, [now])
}

export async function onPostgres(database: TestDatabase, table: string): Promise<Connect> {
  const open = () => PostgresStore.open(database.client, table)
  await (await open()).close()
  const setTime = await setOwnClock(database, table)
  return async (now) => {
    const store = await open()
    return {
      async call(method, args) {
        await setTime(now())
        return call(store, method, args)
      },
      has: (method) => method in store,
      // It hears of each statement, and reads the news each time.
      hasNews: () => true,
      close: () => void store.close(),
    }
  }
}
