/** Connections of processes of the model to a store in either dialect. Their time is that of the model. */

import type { Args, Method } from '../../lib/durable/common/store.js'
import { openPostgres } from '../../lib/durable/postgres/postgres-store.js'
import { makeDatabase } from '../../lib/durable/sqlite/database.js'
import type { TestDatabase } from './database.js'
import type { Connection } from './world.js'

export type Connect = (now: () => number) => Promise<Connection>

export const onSqlite =
  (path: string): Connect =>
  async (now) => {
    const database = makeDatabase({ path, table: 'timers', now })
    return {
      call: (method, args) => database[method](args as never),
      hasNews: () => database.hasNews(),
      close: () => database.close(),
    }
  }

/** Makes the time of a store that which the test writes into a table. */
export async function setOwnClock(
  { query }: TestDatabase,
  table: string,
): Promise<(now: number) => Promise<unknown>> {
  await query(`CREATE TABLE ${table}_clock (ms numeric)`)
  await query(`INSERT INTO ${table}_clock VALUES (0)`)
  await query(
    `CREATE OR REPLACE FUNCTION timeout_wheel.${table}_now_1() RETURNS numeric LANGUAGE sql VOLATILE AS 'SELECT ms FROM public.${table}_clock'`,
  )
  return (now) => query(`UPDATE ${table}_clock SET ms = $1`, [now])
}

export async function onPostgres(database: TestDatabase, table: string): Promise<Connect> {
  const open = () => openPostgres(database.client, { schema: 'timeout_wheel', table })
  await (await open()).close()
  const setTime = await setOwnClock(database, table)
  return async (now) => {
    const store = await open()
    return {
      async call(method, args) {
        await setTime(now())
        return store.call(method as Method, args as Args<Method>)
      },
      // It hears of each statement, and reads the news each time.
      hasNews: () => true,
      close: () => void store.close(),
    }
  }
}
