/** The reminders that have arrived. One that arrives again, because its server was killed before it was acknowledged, is not added again. */

const TABLE =
  'CREATE TABLE IF NOT EXISTS arrivals (id text PRIMARY KEY, text text NOT NULL, due bigint NOT NULL, at bigint NOT NULL)'

export async function openArrivals(pool, path) {
  if (pool) {
    await pool.query(TABLE)
    return {
      add: ({ id, text, due, at }) =>
        pool.query('INSERT INTO arrivals VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING', [
          id,
          text,
          due,
          at,
        ]),
      last: async (count) =>
        (await pool.query('SELECT text, due, at FROM arrivals ORDER BY at DESC LIMIT $1', [count])).rows,
    }
  }
  const { DatabaseSync } = await import('node:sqlite')
  const file = new DatabaseSync(path)
  file.exec(TABLE)
  const insert = file.prepare('INSERT OR IGNORE INTO arrivals VALUES (?, ?, ?, ?)')
  const select = file.prepare('SELECT text, due, at FROM arrivals ORDER BY at DESC LIMIT ?')
  return {
    // On Node 22.13, statements end when their database is collected as garbage.
    file,
    add: ({ id, text, due, at }) => void insert.run(id, text, due, at),
    last: async (count) => select.all(count),
  }
}
