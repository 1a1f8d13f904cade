/**
 * The statements of a store in an SQLite file. Each works at once, in the thread of worker.ts. In their texts, `@` stands for the name of the
 * table, `@_process` for that of another one.
 */
import type { StatementSync, Value } from 'node:sqlite'
import * as common from '../common/rows.js'
import type {
  Change,
  Changed,
  ClaimOf,
  End,
  Ended,
  Message,
  Peer,
  Position,
  Ref,
  Row,
  Statements,
} from '../common/store.js'
import { openDatabase } from './connection.js'

/** Finds a row by a {@link Ref}. */
const FOUND = 'name = ? AND due = ? AND id = ?'
const refOf = ({ name, due, id }: Ref): [string, number, string] => [name, due, id]
/** With the time, twice. */
const LIVES = common.lives('?')
/** Processes look a little further ahead than their horizons, for the sake of PostgreSQL. */
const TELL = `INSERT INTO @_message (process, name, due) SELECT id, ?, ? FROM @_process WHERE id <> ? AND horizon >= ? AND ${LIVES}
  ON CONFLICT (process, name, id) DO UPDATE SET due = min(due, excluded.due)`

const update = (names: readonly string[]): string =>
  `UPDATE @ SET ${names.map((name) => `${name} = ?`)} WHERE ${FOUND}`
const BECOMES = [...common.NEXT, 'again'] as const
const BECOME = update(BECOMES)
const INSERT = `INSERT INTO @ (id, name, key, at, due, data, rule, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key, name) DO NOTHING`
/** With the owner, and the time twice. */
const TAKE = `UPDATE @ SET ${common.takes('?', '?')} WHERE ${FOUND} RETURNING ${common.COLUMNS}`
const REMOVE = `DELETE FROM @ WHERE ${FOUND} RETURNING id, owner`
/** The usual end, in one statement. */
const END = `DELETE FROM @ WHERE ${FOUND} AND owner = ? AND again IS NULL`
/** Finds rows of a name after a position. */
const AFTER = 'name = ? AND (due, id) > (?, ?)'

const scheduleOf = (rule: string | null): string | undefined => rule?.replace(RegExp(common.SCHEDULE_END), '')

/** @param now the clock of the store, in milliseconds */
export function makeDatabase({ path, table, now: time }: { path: string; table: string; now: () => number }) {
  const database = openDatabase(path, table)
  const prepared = new Map<string, StatementSync>()
  /** When the transaction began, and the first due time of each name of which it makes rows free. */
  let now = 0
  const soon = new Map<string, number>()
  let version = -1

  function sql(text: string): StatementSync {
    let statement = prepared.get(text)
    if (statement === undefined) {
      statement = database.prepare(text.replace(/@(_\w+)?/g, `"${table}$1"`))
      prepared.set(text, statement)
    }
    return statement
  }

  /** Returns how many rows have changed. */
  const run = (text: string, ...values: Value[]): number => sql(text).run(...values).changes

  const namesIn = (text: string): string[] => Array.from(sql(text).all<Row>(), ({ name }) => name)

  /** Makes changes that no other connection can come between, and tells other processes of the rows that are free then. */
  function transaction<T>(owner: number, work: () => T): T {
    soon.clear()
    database.exec('BEGIN IMMEDIATE')
    try {
      now = Math.floor(time())
      const answer = work()
      for (const [name, due] of soon) run(TELL, name, due, owner, due - now - common.MARGIN, now, now)
      database.exec('COMMIT')
      return answer
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // SQLite has already ended the transaction.
      }
      throw error
    }
  }

  /** Notes that rows of a name are free, of which the first is due at this time. */
  function tell(name: string, due: number): void {
    soon.set(name, Math.min(due, soon.get(name) ?? due))
  }

  const othersOf = (owner: number, at: number): Peer[] =>
    sql(`SELECT ${common.PEER} FROM @_process WHERE id <> ? AND ${LIVES}`).all<Peer>(owner, at, at)

  /** The end of a lease; null: it has ended. */
  const leaseOf = (owner: number, at: number): number | null =>
    sql(`SELECT until FROM @_process WHERE id = ? AND ${LIVES}`).get<Peer>(owner, at, at)?.until ?? null

  function claimOf({ name, low, horizon, most, bytes }: ClaimOf, owner: number) {
    const ahead = now + horizon
    const found: Ref[] = []
    let size = 0
    let isCut = false
    const free = sql(
      `SELECT name, due, id, coalesce(octet_length(data), 0) AS bytes FROM @ WHERE ${AFTER} AND due <= ? AND owner NOT IN (SELECT id FROM @_process WHERE alive)
       AND name NOT IN (SELECT name FROM @_paused) ORDER BY due, id`,
    )
    for (const one of free.iterate<Ref & { bytes: number }>(name, ...low, ahead)) {
      found.push(one)
      size += common.ROW_BYTES + one.bytes
      isCut = found.length === most || size > bytes
      if (isCut) break
    }
    const rows = found.map((one) => sql(TAKE).get<Row>(owner, now, now, ...refOf(one))!)
    const last = rows.at(-1)
    const upTo: Position = isCut ? [last!.due, last!.id] : [ahead, '~']
    const first = sql(`SELECT min(due) AS next FROM @ WHERE name = ? AND due > ? AND due < ${common.FAILED}`)
    const { next } = first.get<{ next: number | null }>(name, ahead)!
    return { rows, upTo, isCut, hasSkipped: false, next }
  }

  function write(row: Ref, values: Partial<Row & { marked: number | null }>): void {
    run(update(Object.keys(values)), ...Object.values(values), ...refOf(row))
  }

  /** Removes a row, and tells the process that owns it. Returns whether it was there. */
  function remove(row: Ref, owner: number): boolean {
    const found = sql(REMOVE).get<Pick<Row, 'id' | 'owner'>>(...refOf(row))
    if (found !== undefined) tellOfLoss(found, owner)
    return found !== undefined
  }

  function tellOfLoss({ id, owner: holder }: Pick<Row, 'id' | 'owner'>, owner: number): void {
    if (holder === 0 || holder === owner) return
    run('INSERT OR IGNORE INTO @_message (process, id) VALUES (?, ?)', holder, id)
  }

  const find = (name: string, key: string | null): Row | null =>
    sql(`SELECT ${common.COLUMNS} FROM @ WHERE name = ? AND key = ?`).get<Row>(name, key) ?? null

  /** The timer because of which `'throw'` refuses a change. */
  function refusedBy({ name, key, ifExists }: Change): Row | null {
    const found = ifExists === 'throw' ? find(name, key) : null
    return found !== null && found.due < common.FAILED ? found : null
  }

  function make(owner: number, change: Change): Changed {
    const { id, name, key, due, data, rule, owner: holder, ifExists } = change
    const insert = (): boolean => {
      const isDone = run(INSERT, id, name, key, due, due, data, rule, holder) > 0
      if (isDone && holder === 0) tell(name, due)
      return isDone
    }
    // Most keys are new.
    if (ifExists !== 'clear' && insert()) return null
    const found = find(name, key)
    if (found === null) return null
    if (found.due < common.FAILED && ifExists !== 'replace' && ifExists !== 'clear')
      return meet(owner, found, change)
    remove(found, owner)
    return { isDone: ifExists === 'clear' || insert(), removed: found.id, present: null }
  }

  /**
   * A set meets a timer that it does not replace, and marks it: if it is kept and may run, because its handler may not see what was set; if it
   * is updated and is due or has begun, because that run comes first.
   */
  function meet(owner: number, present: Row, change: Change): Changed {
    const { id, due, data, rule, ifExists } = change
    const refused = (row: Row): Changed => ({ isDone: false, removed: null, present: row })
    const isDue = present.due <= now
    if (ifExists === 'throw' || (ifExists === 'keep' && !(isDue && present.owner !== 0)))
      return refused(present)
    if (ifExists === 'keep') {
      const next = Math.min(present.again ?? due, due)
      write(present, { again: next, marked: now })
      return refused({ ...present, at: next, due: next, again: next })
    }
    const isSame = scheduleOf(present.rule) === scheduleOf(rule)
    if (isDue || present.starts > 0) {
      const again = isSame ? Math.min(present.again ?? 0, 0) : -due
      write(present, { data, rule, again, marked: now })
      return refused({ ...present, data, rule, again })
    }
    const times = isSame ? {} : { at: due, due }
    const updated = { ...present, ...common.FRESH, ...times, id, data, rule, owner: 0 }
    write(present, { ...updated, marked: null })
    tellOfLoss(present, owner)
    tell(updated.name, updated.due)
    return { isDone: true, removed: present.id, present: updated }
  }

  function end(owner: number, one: End): Ended {
    const { name, from, newId, next } = one
    if (next === null && run(END, ...refOf(one), owner) > 0) return 0
    const found = sql(
      `SELECT last, again, ${common.DUE_AGAIN} AS due FROM @, (SELECT ? AS next_due, ? AS next_id, ? AS began) WHERE ${FOUND} AND owner = ?`,
    ).get<Pick<Row, 'last' | 'again'> & { due: number | null }>(
      ...[next?.due ?? null, next?.id ?? null, from, ...refOf(one), owner],
    )
    if (found === undefined) return null
    const { due, last, again } = found
    const becomes =
      due === null
        ? next && { ...next, again }
        : {
            ...common.FRESH,
            id: newId,
            at: due,
            due,
            last: next?.last ?? last,
            error: next?.error ?? null,
            owner: 0,
          }
    if (becomes === null) run(`DELETE FROM @ WHERE ${FOUND}`, ...refOf(one))
    else {
      run(BECOME, ...BECOMES.map((column) => becomes[column]), ...refOf(one))
      if (becomes.owner === 0) tell(name, becomes.due)
    }
    return due ?? 0
  }

  const statements: Statements = {
    join({ owner, former, lease, horizon, place, held }) {
      return transaction(owner, () => {
        const until = now + lease
        const { boot, space, pid, began } = place
        const leave = 'DELETE FROM @_process WHERE id IN (SELECT value FROM json_each(?))'
        const isKnown = run(leave, JSON.stringify(former)) > 0
        const formers = JSON.stringify(isKnown ? former : [])
        run(
          'INSERT INTO @_process (id, alive, until, horizon, boot, space, pid, began) VALUES (?, 1, ?, ?, ?, ?, ?, ?)',
          ...[owner, until, horizon, boot, space, pid, began],
        )
        const keep = `UPDATE @ SET owner = ? WHERE ${FOUND} AND owner IN (SELECT value FROM json_each(?))`
        const lost = held.filter((row) => run(keep, owner, ...refOf(row), formers) === 0)
        tell('', 0)
        return { until, lost: lost.map(({ id }) => id), others: othersOf(owner, now) }
      })
    },
    beat({ owner, lease }) {
      if (lease !== null) {
        transaction(owner, () => {
          const renew = `UPDATE @_process SET until = ?, alive = ? WHERE id = ? AND ${LIVES}`
          const isDone = run(renew, now + lease, Number(lease > 0), owner, now, now) > 0
          if (isDone && lease === 0) tell('', 0)
          run(common.forget('?'), now)
          run('DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE alive)')
        })
      }
      // Without a lock if there are none.
      const hasMessages = sql('SELECT 1 FROM @_message WHERE process = ? LIMIT 1').get(owner) !== undefined
      const take = sql('DELETE FROM @_message WHERE process = ? RETURNING name, id, due')
      const messages = hasMessages ? take.all<Message>(owner) : []
      const at = time()
      const paused = namesIn('SELECT name FROM @_paused')
      return { until: leaseOf(owner, at), messages, others: othersOf(owner, at), paused }
    },
    claim({ owner, names }) {
      return transaction(owner, () => {
        if (leaseOf(owner, now) === null) return null
        // A process whose lease has ended must not live again if the clock is set back.
        run(`UPDATE @_process SET alive = 0 WHERE alive AND NOT (${LIVES})`, now, now)
        return names.map((one) => claimOf(one, owner))
      })
    },
    change({ owner, changes, isWhole }) {
      return transaction(owner, () => {
        const refused = isWhole ? changes.map(refusedBy) : []
        if (refused.some((present) => present !== null))
          return refused.map((present) => ({ isDone: false, removed: null, present }))
        return changes.map((change) => make(owner, change))
      })
    },
    end: ({ owner, ends }) => transaction(owner, () => ends.map((one) => end(owner, one))),
    remove: ({ owner, rows }) =>
      transaction(owner, () => rows.filter((row) => remove(row, owner)).map(({ id }) => id)),
    retry({ id, due }) {
      return transaction(0, () => {
        const again = sql(
          `UPDATE @ SET due = max(at, ?), failures = 0, deaths = 0 WHERE id = ? AND due >= ${common.FAILED} RETURNING name`,
        ).get<{ name: string }>(due, id)
        if (again !== undefined) tell(again.name, due)
        return again?.name ?? null
      })
    },
    pause({ name, isPaused }) {
      return transaction(0, () => {
        run('DELETE FROM @_paused WHERE name = ?', name)
        if (isPaused) run('INSERT INTO @_paused VALUES (?)', name)
        tell('', 0)
        return null
      })
    },
    get: ({ name, key }) => find(name, key),
    names: () => namesIn(common.NAMES),
    portion({ name, low, before, most }) {
      const rows: Row[] = []
      let bytes = 0
      const all = sql(`SELECT ${common.COLUMNS} FROM @ WHERE ${AFTER} AND due < ? ORDER BY due, id`)
      for (const row of all.iterate<Row>(name, ...low, before)) {
        rows.push(row)
        bytes += Buffer.byteLength(row.data ?? '')
        if (rows.length === most || bytes > common.MOST_BYTES) return { rows, next: [row.due, row.id] }
      }
      return { rows, next: null }
    },
    count: ({ from, to }) => sql(`${common.COUNT} WHERE name BETWEEN ? AND ?`).get(from, to)!,
  }
  return {
    ...statements,
    /** Whether another connection has written since the last call. Cheap. */
    hasNews(): boolean {
      const last = version
      version = sql('PRAGMA data_version').get<{ data_version: number }>()!.data_version
      return version !== last
    },
    close: () => database.close(),
  }
}
