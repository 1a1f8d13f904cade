/** The statements of durable timers on SQLite. They run in a worker thread, because a commit waits for the disk. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Beat,
  type Change,
  type Changed,
  type Claim,
  FAILED,
  type News,
  type Outcome,
  type Row,
  type SetRow,
} from '../store.js'
import { openDatabase } from './open-database.js'

/** A lease that ends later was given before the clock was set back. It counts as lapsed. */
const LONGEST_LEASE = 60_000

const COLUMNS = 'due, id, epoch, tries, name, key, data, rule, error'

type Found = Row & { owner: number }

/** The due time of a row of which other processes must hear. */
function soonOf(change: Change): number {
  if (change.kind === 'set') return change.row.isSoon && change.row.owner === 0 ? change.row.due : Infinity
  if (change.kind === 'retry') return change.due
  const next = change.kind === 'end' ? change.outcome.next : undefined
  return next?.isSoon && next.owner === 0 ? next.due : Infinity
}

export class Database {
  readonly #database: DatabaseSync
  readonly #table: string
  readonly #statements = new Map<string, StatementSync>()
  #version = -1

  /** @throws Error with the code of SQLite, or DurableError if the file is no store of this version */
  constructor(path: string, table: string) {
    this.#database = openDatabase(path, table)
    this.#table = table
  }

  /** A prepared statement: `timer`, `process` and `note` stand for the tables, `:living` for the processes that live. */
  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      const table = this.#table
      statement = this.#database.prepare(
        text
          .replaceAll(':living', `SELECT id FROM process WHERE until > ? AND until <= ? + ${LONGEST_LEASE}`)
          .replace(/\b(process|note)\b/g, `${table}_$1`)
          .replace(/\btimer\b/g, table),
      )
      this.#statements.set(text, statement)
    }
    return statement
  }

  #transaction<T>(work: () => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
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

  join(now: number, lease: number): number {
    return this.#sql('INSERT INTO process (until) VALUES (?) RETURNING id').get(now + lease)!.id as number
  }

  beat(now: number, owner: number, lease: number): Beat {
    return this.#transaction(() => {
      const { changes } = this.#sql('UPDATE process SET until = ? WHERE id = ? AND until > ?').run(
        now + lease,
        owner,
        now,
      )
      const dead = this.#sql(`DELETE FROM process WHERE id NOT IN (:living)`).run(now, now)
      const living = this.#sql('SELECT count(*) AS n FROM process WHERE id <> ?').get(owner)!
      return { isAlive: changes > 0, others: living.n as number, hasDead: dead.changes > 0 }
    })
  }

  claim(now: number, { owner, names, low, horizon, most }: Claim): Row[] {
    const rows = this.#transaction(() =>
      // `+` keeps SQLite from the index of names and keys, whose rows it would have to sort.
      this.#sql(
        `UPDATE timer SET owner = ?, epoch = epoch + 1, tries = tries + (owner <> 0) WHERE (due, id) IN (
          SELECT due, id FROM timer WHERE (due, id) > (?, ?) AND due <= ?
          AND +name IN (SELECT value FROM json_each(?)) AND owner NOT IN (:living) ORDER BY due, id LIMIT ?
        ) RETURNING ${COLUMNS}`,
      ).all(owner, ...low, now + horizon, JSON.stringify(names), now, now, most),
    ) as unknown as Row[]
    return rows.sort((a, b) => a.due - b.due || a.id - b.id)
  }

  change(owner: number, changes: readonly Change[]): Changed[] {
    return this.#transaction(() => {
      const changed = changes.map((change) => this.#change(owner, change))
      const soon = Math.min(...changes.map(soonOf))
      if (soon < Infinity)
        this.#sql('INSERT OR IGNORE INTO note (owner, id) SELECT id, ? FROM process WHERE id <> ?').run(
          -soon,
          owner,
        )
      return changed
    })
  }

  #change(owner: number, change: Change): Changed {
    if (change.kind === 'set') return this.#set(owner, change.row)
    if (change.kind === 'clear') return this.#clear(owner, change.name, change.key)
    if (change.kind === 'end') return this.#end(change.outcome)
    return this.#retry(change.id, change.due)
  }

  #find(name: string, key: string): Found | undefined {
    return this.#sql(`SELECT ${COLUMNS}, owner FROM timer WHERE name = ? AND key = ?`).get(name, key) as
      | Found
      | undefined
  }

  #set(setter: number, { due, id, owner, name, key, data, rule, ifExists }: SetRow): Changed {
    const found = key === null ? undefined : this.#find(name, key)
    if (found !== undefined) {
      if (ifExists !== 'replace' && found.due < FAILED) return { isDone: false, row: found }
      this.#remove(setter, found)
    }
    this.#sql('INSERT INTO timer (due, id, owner, name, key, data, rule) VALUES (?, ?, ?, ?, ?, ?, ?)').run(
      due,
      id,
      owner,
      name,
      key,
      data,
      rule,
    )
    return { isDone: true, row: { due, id, epoch: 0, tries: 0, name, key, data, rule, error: null } }
  }

  #clear(owner: number, name: string, key: string): Changed {
    const found = this.#find(name, key)
    if (found === undefined) return { isDone: false }
    this.#remove(owner, found)
    return { isDone: found.due < FAILED, row: found }
  }

  /** Removes a row, and leaves a note for the process that owns it. */
  #remove(owner: number, found: Found): void {
    this.#sql('DELETE FROM timer WHERE due = ? AND id = ?').run(found.due, found.id)
    if (found.owner !== 0 && found.owner !== owner)
      this.#sql('INSERT INTO note (owner, id) VALUES (?, ?)').run(found.owner, found.id)
  }

  #end({ due, id, epoch, owner, next }: Outcome): Changed {
    const fence = 'due = ? AND id = ? AND owner = ? AND epoch = ?'
    const { changes } =
      next === undefined
        ? this.#sql(`DELETE FROM timer WHERE ${fence}`).run(due, id, owner, epoch)
        : this.#sql(
            `UPDATE timer SET due = ?, id = ?, owner = ?, epoch = epoch + 1, tries = ?, error = ? WHERE ${fence}`,
          ).run(...[next.due, next.id, next.owner, next.tries, next.error], ...[due, id, owner, epoch])
    return { isDone: changes > 0 }
  }

  #retry(id: number, due: number): Changed {
    const { changes } = this.#sql(
      `UPDATE timer SET due = ?, owner = 0, epoch = epoch + 1, tries = 0 WHERE due >= ${FAILED} AND id = ?`,
    ).run(due, id)
    return { isDone: changes > 0 }
  }

  /** Notes are ids of rows that are lost, and due times with a minus. */
  news(owner: number): News {
    // Cheap: it changes only if another connection has written.
    const version = this.#sql('PRAGMA data_version').get()!.data_version as number
    if (version === this.#version) return { lost: [], soon: undefined }
    this.#version = version
    const notes = this.#sql('SELECT id FROM note WHERE owner = ?').all(owner)
    if (notes.length > 0) this.#sql('DELETE FROM note WHERE owner = ?').run(owner)
    const ids = notes.map(({ id }) => id as number)
    const soon = ids.filter((id) => id <= 0).map((due) => -due)
    return { lost: ids.filter((id) => id > 0), soon: soon.length > 0 ? Math.min(...soon) : undefined }
  }

  leave(owner: number): void {
    this.#transaction(() => {
      this.#sql('DELETE FROM process WHERE id = ?').run(owner)
      this.#sql('DELETE FROM note WHERE owner = ?').run(owner)
    })
  }

  get(name: string, key: string): Row | undefined {
    return this.#find(name, key)
  }

  page(low: readonly [number, number], before: number, name: string | undefined, most: number): Row[] {
    const rows = this.#sql(
      `SELECT ${COLUMNS} FROM timer WHERE (due, id) > (?, ?) AND due < ? AND (? IS NULL OR +name = ?) ORDER BY due, id LIMIT ?`,
    ).all(...low, before, name ?? null, name ?? null, most)
    return rows as unknown as Row[]
  }

  count(
    low: readonly [number, number],
    before: number,
    most: number,
  ): { rows: number; last: [number, number] | undefined } {
    const { n, due, id } = this.#sql(
      `SELECT count(*) AS n, max(due) AS due, id FROM (
        SELECT due, id FROM timer WHERE (due, id) > (?, ?) AND due < ? ORDER BY due, id LIMIT ?)`,
    ).get(...low, before, most) as { n: number; due: number | null; id: number | null }
    return { rows: n, last: n < most ? undefined : [due!, id!] }
  }

  forget(before: number): void {
    this.#sql(`DELETE FROM timer WHERE due >= ${FAILED} AND due < ?`).run(FAILED + before)
  }

  close(): void {
    this.#database.close()
  }
}
