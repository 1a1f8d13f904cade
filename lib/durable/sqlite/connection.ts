/** Opens an SQLite file as a store: it is created, checked, and brought to the present version. */
import { chmodSync, existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { DurableError } from '../common/errors.js'
import { FAILED } from '../common/rows.js'
import { monotonic } from '../common/time.js'

/** How long a statement waits for another process's transaction, in milliseconds. */
const BUSY = 5_000

/** Each brings a store from the version before to its own. They only add. A version that was published never changes. */
export const MIGRATIONS = [
  (table: string) => `
    CREATE TABLE "${table}" (
      name TEXT NOT NULL, due INTEGER NOT NULL, id TEXT NOT NULL, key TEXT, at INTEGER NOT NULL, data TEXT, rule TEXT, last INTEGER,
      owner INTEGER NOT NULL DEFAULT 0, starts INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
      deaths INTEGER NOT NULL DEFAULT 0, watched INTEGER NOT NULL DEFAULT 0, again INTEGER, marked INTEGER, error TEXT,
      PRIMARY KEY (name, due, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX "${table}_key" ON "${table}" (key, name);
    CREATE INDEX "${table}_failed" ON "${table}" (id) WHERE due >= ${FAILED};
    CREATE TABLE "${table}_process" (
      id INTEGER PRIMARY KEY, alive INTEGER NOT NULL, until INTEGER NOT NULL, horizon INTEGER NOT NULL,
      boot TEXT, space TEXT, pid INTEGER NOT NULL, began TEXT
    ) STRICT;
    CREATE TABLE "${table}_message" (
      process INTEGER NOT NULL, name TEXT NOT NULL DEFAULT '', id TEXT NOT NULL DEFAULT '', due INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (process, name, id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE "${table}_paused" (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  `,
]

/** The versions of the stores of a file, by table. */
const VERSIONS =
  'CREATE TABLE IF NOT EXISTS timeout_wheel_stores (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT'

function migrate(database: DatabaseSync, table: string): void {
  database.exec(VERSIONS)
  const find = database.prepare('SELECT version FROM timeout_wheel_stores WHERE name = ?')
  const version = find.get<{ version: number }>(table)?.version ?? 0
  const latest = MIGRATIONS.length
  const message = `the store ${table} has version ${version}, which a newer timeout-wheel has written; this one knows ${latest}`
  if (version > latest) throw new DurableError('ERR_DURABLE_STORE', message)
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration(table))
  if (version < latest) database.prepare('REPLACE INTO timeout_wheel_stores VALUES (?, ?)').run(table, latest)
}

/** SQLite's code for a lock of another connection. */
const SQLITE_BUSY = 5

/** Repeats what SQLite refuses at once, without a wait, while another connection does the same. */
function persist(work: () => void): void {
  const end = monotonic() + BUSY
  for (;;) {
    try {
      return work()
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number }
      if ((errcode & 0xff) !== SQLITE_BUSY || monotonic() > end) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

/**
 * Nothing but SQLite opens the file: if a process closes a file, the system ends all POSIX locks of the process on that file. A store, or
 * the program itself, may have the file open in this process already. Its locks keep other processes from damaging the file. SQLite 3.51
 * and later notice the loss; Node 22.13 has 3.47.
 *
 * @throws Error with the code of SQLite, or DurableError if the file is no store of this version
 */
export function openDatabase(path: string, table: string): DatabaseSync {
  const isFile = path !== ':memory:'
  const isNew = isFile && !existsSync(path)
  const database = new DatabaseSync(path)
  try {
    // Only the owner reads it. SQLite gives its other files the same mode.
    if (isNew) chmodSync(path, 0o600)
    // Node before 22.16 has no option for it.
    database.exec(`PRAGMA busy_timeout = ${BUSY}`)
    // The first that opens a file changes it to WAL, alone.
    persist(() => database.exec('PRAGMA journal_mode = WAL'))
    // A commit is on the disk when it returns, on macOS too. 64 MB of cache.
    database.exec('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_size = -65536')
    database.exec('BEGIN IMMEDIATE')
    migrate(database, table)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
