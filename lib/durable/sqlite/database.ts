/** A store on one connection to an SQLite file. Each statement works at once, and waits for the disk: see worker.ts. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import {
  type Args,
  type Beat,
  type Change,
  type Changed,
  type ClaimedOf,
  type ClaimOf,
  COUNTED,
  type End,
  type Ended,
  EPOCHS,
  FAILED,
  FOREVER,
  FORGOTTEN,
  type Joined,
  LONGEST_LEASE,
  MARGIN,
  type Neighbour,
  type News,
  ownerOf,
  type Place,
  type Portion,
  type Position,
  processOf,
  REMEMBERED,
  type Ref,
  ROW_BYTES,
  type Row,
  type SetRow,
  type Statements,
} from '../common/store.js'
import { openDatabase } from './open-database.js'

const COLUMNS = 'id, name, key, at, due, data, rule, last, starts, failures, deaths, watched, error'

/** Finds a row by a {@link Ref}. */
const FOUND = 'name = ? AND due = ? AND id = ?'
const refOf = ({ name, due, id }: Ref): [string, number, string] => [name, due, id]

/** Bytes of a portion, but for the last row. */
const MOST_BYTES = 2 ** 22

/** A process lives. The parameters are now, and now plus the longest lease. */
const LIVES = `alive AND until > ? AND (until <= ? OR until > ${FOREVER})`
const LIVING = `SELECT id * ${EPOCHS} + epoch FROM @_process WHERE ${LIVES}`

type Found = Row & { owner: number; again: number | null; marked: number | null }

export interface DatabaseOptions {
  path: string
  table: string
  /** The clock of the store. */
  now: () => number
}

export class Database implements Statements {
  readonly #now: () => number
  readonly #database: DatabaseSync
  readonly #table: string
  readonly #statements = new Map<string, StatementSync>()
  #version = -1

  /** @throws Error with the code of SQLite, or DurableError if the file is no store of this version */
  constructor({ path, table, now }: DatabaseOptions) {
    this.#database = openDatabase(path, table)
    this.#table = table
    this.#now = now
  }

  /** A prepared statement. `@` stands for the name of the table, `@_process` for that of another one. */
  #sql(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare(text.replace(/@(_\w+)?/g, `"${this.#table}$1"`))
      this.#statements.set(text, statement)
    }
    return statement
  }

  /** The first value of the first row; null if there is none. */
  #value(text: string, ...values: (string | number)[]): string | number | null {
    const row = this.#sql(text).get(...values)
    return row === undefined ? null : (Object.values(row)[0] ?? null)
  }

  /** Makes changes that no other connection can come between. @param work gets the time, which is read after the lock is taken */
  #transaction<T>(work: (now: number) => T): T {
    this.#database.exec('BEGIN IMMEDIATE')
    try {
      const result = work(Math.floor(this.#now()))
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

  /** The parameters of `LIVES`. */
  #lives(now: number): [number, number] {
    return [now, now + LONGEST_LEASE]
  }

  #isAlive(owner: number, now: number): boolean {
    const found = this.#sql(`SELECT 1 FROM @_process WHERE id = ? AND epoch = ? AND ${LIVES}`)
    return found.get(processOf(owner), owner % EPOCHS, ...this.#lives(now)) !== undefined
  }

  join({ process, isNew, lease, horizon, place, held }: Args<'join'>): Joined | null {
    return this.#transaction((now) => {
      if (isNew && this.#value('SELECT 1 FROM @_process WHERE id = ?', process) !== null) return null
      const until = now + lease
      const { boot, space, pid, began } = place
      const epoch = this.#value(
        `INSERT INTO @_process (id, epoch, alive, until, horizon, boot, space, pid, began) VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1, alive = 1, until = excluded.until RETURNING epoch`,
        ...([process, until, horizon, boot, space, pid, began] as number[]),
      ) as number
      const keep = this.#sql(`UPDATE @ SET owner = ? WHERE ${FOUND} AND owner / ${EPOCHS} = ?`)
      const lost = held
        .filter((row) => keep.run(ownerOf(process, epoch), ...refOf(row), process).changes === 0)
        .map(({ id }) => id)
      this.#tell(process, '', 0, now)
      return { epoch, until, lost, neighbours: this.#neighbours(process, place, now) }
    })
  }

  #neighbours(process: number, { boot, space }: Place, now: number): Neighbour[] {
    if (boot === null || space === null) return []
    const found = this.#sql(
      `SELECT id AS process, pid, began FROM @_process WHERE boot = ? AND space = ? AND id <> ? AND began IS NOT NULL AND ${LIVES}`,
    ).all(boot, space, process, ...this.#lives(now))
    return found as unknown as Neighbour[]
  }

  beat({ owner, lease, place }: Args<'beat'>): Beat {
    return this.#transaction((now) => {
      const [lives, process] = [this.#lives(now), processOf(owner)]
      const isAlive = this.#isAlive(owner, now)
      if (isAlive) this.#sql('UPDATE @_process SET until = ? WHERE id = ?').run(now + lease, process)
      this.#sql(`DELETE FROM @_process WHERE abs(until - ?) > ? AND NOT (${LIVES})`).run(
        now,
        REMEMBERED,
        ...lives,
      )
      this.#sql(`DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE ${LIVES})`).run(
        ...lives,
      )
      return {
        until: isAlive ? now + lease : null,
        others: this.#others(process, now),
        nextEnd: this.#value(
          `SELECT min(until) FROM @_process WHERE id <> ? AND ${LIVES}`,
          process,
          ...lives,
        ) as number | null,
        neighbours: this.#neighbours(process, place, now),
      }
    })
  }

  #others(process: number, now: number): number {
    return this.#value(
      `SELECT count(*) FROM @_process WHERE id <> ? AND ${LIVES}`,
      process,
      ...this.#lives(now),
    ) as number
  }

  bury({ processes }: Args<'bury'>): null {
    return this.#transaction((now) => {
      for (const process of processes)
        this.#sql(
          'UPDATE @_process SET alive = 0, epoch = epoch + 1, until = min(until, ?) WHERE id = ? AND alive',
        ).run(now, process)
      return this.#tell(0, '', 0, now)
    })
  }

  claim({ owner, names }: Args<'claim'>): ClaimedOf[] | null {
    return this.#transaction((now) => {
      if (!this.#isAlive(owner, now)) return null
      // A process whose lease has ended must not live again if the clock is set back.
      this.#sql(`UPDATE @_process SET alive = 0, epoch = epoch + 1 WHERE alive AND NOT (${LIVES})`).run(
        ...this.#lives(now),
      )
      return names.map((one) => this.#claimOf(one, owner, now))
    })
  }

  #claimOf({ name, low, horizon, most, bytes }: ClaimOf, owner: number, now: number): ClaimedOf {
    const ahead = now + horizon
    const found: Found[] = []
    let size = 0
    let isCut = false
    if (this.#value('SELECT 1 FROM @_paused WHERE name = ?', name) === null) {
      const free = this.#sql(
        `SELECT ${COLUMNS}, owner, again, marked FROM @ WHERE name = ? AND (due, id) > (?, ?) AND due <= ? AND owner NOT IN (${LIVING})
         ORDER BY due, id`,
      ).iterate(name, ...low, ahead, ...this.#lives(now)) as Iterable<unknown> as Iterable<Found>
      for (const row of free) {
        found.push(row)
        size += ROW_BYTES + (row.data?.length ?? 0)
        isCut = found.length === most || size > bytes
        if (isCut) break
      }
    }
    const rows = found.map((row) => this.#take(row, owner, now))
    const last = rows.at(-1)
    const upTo: Position = !isCut ? [ahead, '~'] : last === undefined ? low : [last.due, last.id]
    const next = this.#value(
      'SELECT min(due) FROM @ WHERE name = ? AND due > ? AND due < ?',
      name,
      ahead,
      FAILED,
    )
    return { rows, upTo, isCut, hasSkipped: false, next: next as number | null }
  }

  #take({ owner: former, again: _again, marked: _marked, ...row }: Found, owner: number, now: number): Row {
    if (former !== 0) {
      const until = (this.#value('SELECT until FROM @_process WHERE id = ?', processOf(former)) ??
        now) as number
      // What was due later, the process has not started.
      if (row.watched === 2 || row.due <= Math.min(until, now)) {
        if (row.watched !== 1) row.starts++
        if (row.watched === 2) row.deaths++
        row.watched = 1
      }
    }
    this.#sql(`UPDATE @ SET owner = ?, starts = ?, deaths = ?, watched = ? WHERE ${FOUND}`).run(
      owner,
      row.starts,
      row.deaths,
      row.watched,
      ...refOf(row),
    )
    return row
  }

  start({ owner, rows }: Args<'start'>): string[] {
    const note = this.#sql(`UPDATE @ SET watched = 2 WHERE ${FOUND} AND owner = ?`)
    return this.#transaction(() =>
      rows.filter((row) => note.run(...refOf(row), owner).changes > 0).map(({ id }) => id),
    )
  }

  change({ owner, changes, isWhole }: Args<'change'>): Changed[] {
    return this.#transaction((now) => {
      const refused = isWhole ? changes.map((change) => this.#refused(change)) : []
      if (refused.some((present) => present !== null))
        return refused.map((present) => ({ isDone: false, removed: null, present }))
      return this.#telling(owner, now, (tell) =>
        changes.map((change) => this.#change(owner, change, now, tell)),
      )
    })
  }

  /** The timer because of which `'throw'` refuses a change. */
  #refused(change: Change): Row | null {
    if (change.kind !== 'set' || change.row.ifExists !== 'throw' || change.row.key === null) return null
    const found = this.get({ name: change.row.name, key: change.row.key })
    return found === null || found.due >= FAILED ? null : found
  }

  #change(owner: number, change: Change, now: number, tell: Tell): Changed {
    const { name, key } = change.kind === 'set' ? change.row : change
    const found = key === null ? undefined : this.#find(name, key)
    if (
      change.kind === 'set' &&
      change.row.ifExists !== 'replace' &&
      found !== undefined &&
      found.due < FAILED
    ) {
      if (change.row.ifExists === 'update') return this.#update(owner, found, change.row, now, tell)
      return { isDone: false, removed: null, present: this.#keep(found, change.row, now) }
    }
    if (found !== undefined) this.#remove(found, found.owner, owner, now)
    const removed = found?.id ?? null
    if (change.kind === 'clear')
      return { isDone: found !== undefined && found.due < FAILED, removed, present: null }
    const { due, owner: holder } = change.row
    this.#insert({ ...change.row, at: due, last: null })
    if (holder === 0) tell(name, due)
    return { isDone: true, removed, present: null }
  }

  #insert({ id, name, key, at, due, data, rule, last, owner }: Inserted): void {
    this.#sql(
      'INSERT INTO @ (id, name, key, at, due, data, rule, last, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(...([id, name, key, at, due, data, rule, last, owner] as string[]))
  }

  /** Gives a timer that repeats another rule and other data: at the end of the run that may be under way, or in a new row. */
  #update(owner: number, found: Found, row: SetRow, now: number, tell: Tell): Changed {
    const { owner: holder, again, marked: _, ...present } = found
    const { id, data, rule } = row
    const isSame = present.rule === rule
    if (holder !== 0 && present.due <= now) {
      const next = isSame ? Math.min(again ?? 0, 0) : -row.due
      this.#sql(`UPDATE @ SET data = ?, rule = ?, again = ?, marked = ? WHERE ${FOUND}`).run(
        ...([data, rule, next, now, ...refOf(present)] as string[]),
      )
      return { isDone: false, removed: null, present: { ...present, data, rule } }
    }
    const { at, due } = isSame || present.due <= now ? present : { at: row.due, due: row.due }
    this.#remove(found, holder, owner, now)
    const made = {
      ...present,
      id,
      data,
      rule,
      at,
      due,
      starts: 0,
      failures: 0,
      deaths: 0,
      watched: 0,
      error: null,
    }
    this.#insert({ ...made, owner: 0 })
    tell(present.name, due)
    return { isDone: true, removed: present.id, present: made }
  }

  /** Removes a row, and tells the process that owns it. */
  #remove(row: Ref, holder: number, owner: number, now: number): void {
    this.#sql(`DELETE FROM @ WHERE ${FOUND}`).run(...refOf(row))
    if (holder === 0 || holder === owner) return
    this.#sql(
      `INSERT OR IGNORE INTO @_message (process, id) SELECT id, ? FROM @_process WHERE id = ? AND ${LIVES}`,
    ).run(row.id, processOf(holder), ...this.#lives(now))
  }

  remove({ owner, rows }: Args<'remove'>): string[] {
    return this.#transaction((now) => {
      const removed = rows.filter((row) => {
        const holder = this.#value(`SELECT owner FROM @ WHERE ${FOUND}`, ...refOf(row))
        if (holder !== null) this.#remove(row, holder as number, owner, now)
        return holder !== null
      })
      return removed.map(({ id }) => id)
    })
  }

  pause({ name, isPaused }: Args<'pause'>): null {
    return this.#transaction((now) => {
      this.#sql('DELETE FROM @_paused WHERE name = ?').run(name)
      if (isPaused) this.#sql('INSERT INTO @_paused VALUES (?)').run(name)
      return this.#tell(0, '', 0, now)
    })
  }

  /** A row that may run is marked: it is due again after its end, because its handler may not have seen why it was set. */
  #keep({ owner, again, marked: _, ...present }: Found, { ifExists, due }: SetRow, now: number): Row {
    if (ifExists === 'throw' || owner === 0 || present.due > now) return present
    const next = Math.min(again ?? due, due)
    this.#sql(`UPDATE @ SET again = ?, marked = ? WHERE ${FOUND}`).run(next, now, ...refOf(present))
    return { ...present, at: next, due: next }
  }

  end({ owner, ends }: Args<'end'>): Ended[] {
    return this.#transaction((now) =>
      this.#telling(owner, now, (tell) => ends.map((end) => this.#end(owner, end, tell))),
    )
  }

  #end(owner: number, end: End, tell: Tell): Ended {
    const { name, from, newId, next } = end
    const ref = refOf(end)
    if (next === null) {
      const ended = this.#sql(
        `DELETE FROM @ WHERE ${FOUND} AND owner = ? AND (again IS NULL OR again > 0 AND marked < ?)`,
      )
      if (ended.run(...ref, owner, from).changes > 0) return 0
    }
    const row = this.#sql(`SELECT again, marked FROM @ WHERE ${FOUND} AND owner = ?`).get(...ref, owner) as
      | (Marked & Record<string, number>)
      | undefined
    if (row === undefined) return null
    const due = dueAgain(row, end)
    if (due !== null) {
      this.#sql(
        `UPDATE @ SET id = ?, at = ?, due = ?, last = coalesce(?, last), owner = 0, starts = 0, failures = 0, deaths = 0, watched = 0,
         error = ?, again = NULL WHERE ${FOUND}`,
      ).run(newId, due, due, next?.last ?? null, next?.error ?? null, ...ref)
      tell(name, due)
      return due
    }
    if (next === null) {
      this.#sql(`DELETE FROM @ WHERE ${FOUND}`).run(...ref)
      return 0
    }
    const { at, last, owner: holder, starts, failures, deaths, watched, error } = next
    this.#sql(
      `UPDATE @ SET id = ?, at = ?, due = ?, last = ?, owner = ?, starts = ?, failures = ?, deaths = ?, watched = ?, error = ? WHERE ${FOUND}`,
    ).run(next.id, at, next.due, last, holder, starts, failures, deaths, watched, error, ...ref)
    if (holder === 0) tell(name, next.due)
    return 0
  }

  /** Makes changes, and tells others of the rows of each name that are free then. */
  #telling<A>(owner: number, now: number, work: (tell: Tell) => A): A {
    const soon = new Map<string, number>()
    const answer = work((name, due) => soon.set(name, Math.min(due, soon.get(name) ?? due)))
    for (const [name, due] of soon) this.#tell(processOf(owner), name, due, now)
    return answer
  }

  /** Tells other processes of a free row. They look a little further ahead than their horizons, for the sake of PostgreSQL. */
  #tell(process: number, name: string, due: number, now: number): null {
    this.#sql(
      `INSERT INTO @_message (process, name, due) SELECT id, ?, ? FROM @_process WHERE id <> ? AND ? <= ? + horizon AND ${LIVES}
       ON CONFLICT (process, name, id) DO UPDATE SET due = min(due, excluded.due)`,
    ).run(name, due, process, due, now + MARGIN, ...this.#lives(now))
    return null
  }

  retry({ id, due }: Args<'retry'>): string | null {
    return this.#transaction((now) => {
      const name = this.#value(
        `UPDATE @ SET due = max(at, ?), failures = 0, deaths = 0 WHERE id = ? AND due >= ${FAILED} RETURNING name`,
        due,
        id,
      ) as string | null
      if (name !== null) this.#tell(0, name, due, now)
      return name
    })
  }

  /** Whether another connection has written since the last {@link news}. Cheap. */
  hasNews(): boolean {
    return this.#readVersion() !== this.#version
  }

  #readVersion(): number {
    return this.#value('PRAGMA data_version') as number
  }

  news({ owner }: Args<'news'>): News {
    // Before the messages are read: what is written in between is read the next time.
    this.#version = this.#readVersion()
    const [now, process] = [this.#now(), processOf(owner)]
    const hasMessages = this.#value('SELECT 1 FROM @_message WHERE process = ? LIMIT 1', process) !== null
    const messages = hasMessages
      ? this.#sql('DELETE FROM @_message WHERE process = ? RETURNING name, id, due').all(process)
      : []
    return {
      isAlive: this.#isAlive(owner, now),
      lost: messages.map(({ id }) => id as string).filter((id) => id !== ''),
      soon: messages.filter(({ id }) => id === '').map(({ name, due }) => [name as string, due as number]),
      others: this.#others(process, now),
      paused: this.#sql('SELECT name FROM @_paused')
        .all()
        .map(({ name }) => name as string),
    }
  }

  leave({ owner, running }: Args<'leave'>): null {
    return this.#transaction((now) => {
      for (const row of running)
        this.#sql(
          `UPDATE @ SET owner = 0, starts = starts + 1, watched = min(watched, 1) WHERE ${FOUND} AND owner = ?`,
        ).run(...refOf(row), owner)
      const process = processOf(owner)
      this.#sql(
        'UPDATE @_process SET alive = 0, epoch = epoch + 1, until = min(until, ?) WHERE id = ? AND alive',
      ).run(now, process)
      this.#sql('DELETE FROM @_message WHERE process = ?').run(process)
      // They look at all rows from the first on.
      return this.#tell(0, '', 0, now)
    })
  }

  #find(name: string, key: string): Found | undefined {
    return this.#sql(`SELECT ${COLUMNS}, owner, again, marked FROM @ WHERE name = ? AND key = ?`).get(
      name,
      key,
    ) as Found | undefined
  }

  get({ name, key }: Args<'get'>): Row | null {
    return (
      (this.#sql(`SELECT ${COLUMNS} FROM @ WHERE name = ? AND key = ?`).get(name, key) as Row | undefined) ??
      null
    )
  }

  names(): string[] {
    const names: string[] = []
    for (let name: string | number | null = ''; name !== null; ) {
      name = this.#value('SELECT min(name) FROM @ WHERE name > ?', name)
      if (name !== null) names.push(name as string)
    }
    return names
  }

  portion({ name, low, before, most }: Args<'portion'>): Portion {
    const rows: Row[] = []
    let bytes = 0
    const found = this.#sql(
      `SELECT ${COLUMNS} FROM @ WHERE name = ? AND (due, id) > (?, ?) AND due < ? ORDER BY due, id`,
    ).iterate(name, ...low, before) as Iterable<unknown> as Iterable<Row>
    for (const row of found) {
      const last = rows.at(-1)
      if (last !== undefined && (rows.length >= most || bytes > MOST_BYTES))
        return { rows, next: [last.due, last.id] }
      rows.push(row)
      bytes += row.data?.length ?? 0
    }
    return { rows, next: null }
  }

  count({ name, low, before }: Args<'count'>): { rows: number; next: Position | null } {
    const rest = 'FROM @ WHERE name = ? AND (due, id) > (?, ?) AND due < ?'
    const last = this.#sql(`SELECT due, id ${rest} ORDER BY due, id LIMIT 1 OFFSET ${COUNTED - 1}`).get(
      name,
      ...low,
      before,
    )
    if (last !== undefined) return { rows: COUNTED, next: [last.due as number, last.id as string] }
    return { rows: this.#value(`SELECT count(*) ${rest}`, name, ...low, before) as number, next: null }
  }

  forget({ name, before }: Args<'forget'>): boolean {
    const { changes } = this.#sql(
      `DELETE FROM @ WHERE (name, due, id) IN
       (SELECT name, due, id FROM @ WHERE name = ? AND due >= ${FAILED} AND due < ? ORDER BY due LIMIT ${FORGOTTEN})`,
    ).run(name, FAILED + before)
    return changes === FORGOTTEN
  }

  close(): void {
    this.#database.close()
  }
}

/**
 * When a row is due after its run because it was set meanwhile; null: as the end says. `again` is above 0 if it was kept. If it was updated,
 * it is 0, or below 0 if that changed the due time.
 */
function dueAgain({ again, marked }: Marked, { id, from, next }: Omit<End, 'key'>): number | null {
  if (again === null) return null
  const isFinal = next === null || next.due >= FAILED
  if (again > 0) return isFinal && marked >= from ? again : null
  const hasNextRun = next !== null && next.id !== id
  if (again === 0) return hasNextRun ? next.due : null
  return isFinal || hasNextRun ? -again : null
}

interface Marked {
  again: number | null
  marked: number
}

type Inserted = Pick<Row, 'id' | 'name' | 'key' | 'at' | 'due' | 'data' | 'rule' | 'last'> & { owner: number }
type Tell = (name: string, due: number) => void
