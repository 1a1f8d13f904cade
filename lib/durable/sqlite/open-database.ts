/** Opens an SQLite file as a store: creates it, checks it, and brings it to the present version. */
import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DurableError } from '../errors.js'

/** How long a statement waits for another process's transaction, in milliseconds. */
const BUSY = 5_000

/** `f_type` of file systems whose locks do not work between machines: NFS, SMB, CIFS, AFS, Ceph. */
const NETWORK = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400])

/** Each brings a store from the version before to its own. They only add. A version that was published never changes. */
const MIGRATIONS = [
  (table: string) => `
    CREATE TABLE ${table} (
      due INTEGER NOT NULL, id INTEGER NOT NULL, owner INTEGER NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 0,
      tries INTEGER NOT NULL DEFAULT 0, name TEXT NOT NULL, key TEXT, data TEXT, rule TEXT, error TEXT,
      PRIMARY KEY (due, id)
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX ${table}_key ON ${table} (name, key);
    CREATE TABLE ${table}_process (id INTEGER PRIMARY KEY AUTOINCREMENT, until INTEGER NOT NULL) STRICT;
    CREATE TABLE ${table}_note (owner INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (owner, id)) STRICT, WITHOUT ROWID;
  `,
]

/** The versions of the stores of a file, by table. */
const VERSIONS =
  'CREATE TABLE IF NOT EXISTS timeout_wheel_stores (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT'

function createFile(path: string): void {
  if (path === ':memory:') return
  if (NETWORK.has(statfsSync(dirname(path)).type >>> 0)) {
    throw new DurableError(
      'ERR_DURABLE_UNSUPPORTED',
      `${path} is on a network file system, on which SQLite's locks are not safe: use a local disk`,
    )
  }
  // Only the owner reads it. SQLite gives its other files the same mode.
  closeSync(openSync(path, 'a', 0o600))
}

function migrate(database: DatabaseSync, table: string): void {
  database.exec(VERSIONS)
  const found = database.prepare('SELECT version FROM timeout_wheel_stores WHERE name = ?').get(table)
  const version = (found?.version as number | undefined) ?? 0
  if (version > MIGRATIONS.length) {
    throw new DurableError(
      'ERR_DURABLE_STORE',
      `the store ${table} has version ${version}, which a newer timeout-wheel has written; this one knows ${MIGRATIONS.length}`,
    )
  }
  for (const migration of MIGRATIONS.slice(version)) database.exec(migration(table))
  if (version === MIGRATIONS.length) return
  database
    .prepare(
      'INSERT INTO timeout_wheel_stores VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET version = excluded.version',
    )
    .run(table, MIGRATIONS.length)
}

export function openDatabase(path: string, table: string): DatabaseSync {
  createFile(path)
  const database = new DatabaseSync(path, { timeout: BUSY })
  try {
    // A commit is on the disk when it returns. 64 MB of cache.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536')
    database.exec('BEGIN IMMEDIATE')
    migrate(database, table)
    database.exec('COMMIT')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
