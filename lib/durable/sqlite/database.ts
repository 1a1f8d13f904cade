/** The statements of a store in an SQLite file. Each works at once, in the thread of worker.ts. */
import {
  COLUMNS,
  COUNT,
  DUE_AGAIN,
  FAILED,
  FRESH,
  MOST_BYTES,
  NAMES,
  NEXT,
  ROW_BYTES,
  SCHEDULE_END,
} from '../common/rows.js'
import type { Change, Changed, ClaimOf, End, Ended, Position, Ref, Row, Statements } from '../common/store.js'
import { type ConnectionOptions, connect } from './connection.js'
import { FOUND, makeProcesses, refOf, type Tell } from './processes.js'

const update = (names: readonly string[]): string =>
  `UPDATE @ SET ${names.map((name) => `${name} = ?`)} WHERE ${FOUND}`
const BECOME = update(NEXT)
const INSERT = `INSERT INTO @ (id, name, key, at, due, data, rule, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key, name) DO NOTHING`
const TAKE = update(['owner', 'starts', 'deaths', 'watched'])
const REMOVE = `DELETE FROM @ WHERE ${FOUND} RETURNING id, owner`
/** The usual end, in one statement. */
const END = `DELETE FROM @ WHERE ${FOUND} AND owner = ? AND again IS NULL`
/** Finds rows of a name after a position. */
const AFTER = 'name = ? AND (due, id) > (?, ?)'

const bytesOf = ({ data }: Row): number => (data === null ? 0 : Buffer.byteLength(data))
const scheduleOf = (rule: string | null): string | undefined => rule?.replace(RegExp(SCHEDULE_END), '')

export type Database = ReturnType<typeof makeDatabase>

export function makeDatabase(options: ConnectionOptions) {
  const connection = connect(options)
  const { sql, run, transaction } = connection
  const processes = makeProcesses(connection)
  const { telling, peers } = processes

  /** @param owners the numbers of living processes, as JSON */
  function claimOf({ name, low, horizon, most, bytes }: ClaimOf, owner: number, owners: string, now: number) {
    const ahead = now + horizon
    const rows: Row[] = []
    let size = 0
    let isCut = false
    const free = sql(
      `SELECT ${COLUMNS} FROM @ WHERE ${AFTER} AND due <= ? AND owner NOT IN (SELECT value FROM json_each(?))
       AND name NOT IN (SELECT name FROM @_paused) ORDER BY due, id`,
    )
    for (const row of free.iterate<Row>(name, ...low, ahead, owners)) {
      rows.push(row)
      size += ROW_BYTES + bytesOf(row)
      isCut = rows.length === most || size > bytes
      if (isCut) break
    }
    for (const row of rows) take(row, owner, now)
    const last = rows.at(-1)
    const upTo: Position = isCut ? [last!.due, last!.id] : [ahead, '~']
    const first = sql(`SELECT min(due) AS next FROM @ WHERE name = ? AND due > ? AND due < ${FAILED}`)
    const { next } = first.get<{ next: number | null }>(name, ahead)!
    return { rows, upTo, isCut, hasSkipped: false, next }
  }

  function take(row: Row, owner: number, now: number): void {
    // What was due later than the lease, the process that has died has not started.
    if (row.owner !== 0 && (row.watched === 2 || row.due <= Math.min(endOf(row.owner) ?? now, now))) {
      if (row.watched !== 1) row.starts++
      if (row.watched === 2) row.deaths++
      row.watched = 1
    }
    row.owner = owner
    run(TAKE, owner, row.starts, row.deaths, row.watched, ...refOf(row))
  }

  /** The end of a lease. */
  const endOf = (owner: number): number | undefined =>
    sql('SELECT until FROM @_process WHERE id = ?').get<{ until: number }>(owner)?.until

  /** Changes columns of a row. */
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
    key === null
      ? null
      : (sql(`SELECT ${COLUMNS} FROM @ WHERE name = ? AND key = ?`).get<Row>(name, key) ?? null)

  /** The timer because of which `'throw'` refuses a change. */
  function refusedBy({ name, key, ifExists }: Change): Row | null {
    const found = ifExists === 'throw' ? find(name, key) : null
    return found !== null && found.due < FAILED ? found : null
  }

  function make(owner: number, change: Change, now: number, tell: Tell): Changed {
    const { id, name, key, due, data, rule, owner: holder, ifExists } = change
    const insert = (): boolean => {
      const isDone = run(INSERT, id, name, key, due, due, data, rule, holder) > 0
      if (isDone && holder === 0) tell(name, due)
      return isDone
    }
    const answer = (isDone: boolean, removed: string | null = null) => ({ isDone, removed, present: null })
    // Most keys are new.
    if (ifExists !== 'clear' && insert()) return answer(true)
    const found = find(name, key)
    if (found === null) return answer(false)
    if (found.due < FAILED && ifExists !== 'replace' && ifExists !== 'clear')
      return meet(owner, found, change, now, tell)
    remove(found, owner)
    return answer(ifExists === 'clear' || insert(), found.id)
  }

  /**
   * A set meets a timer that it does not replace, and marks it: if it is kept and may run, because its handler may not see what was set; if it
   * is updated and is due or has begun, because that run comes first.
   */
  function meet(owner: number, present: Row, change: Change, now: number, tell: Tell): Changed {
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
    const updated = { ...present, ...FRESH, ...times, id, data, rule, owner: 0 }
    write(present, { ...updated, marked: null })
    tellOfLoss(present, owner)
    tell(updated.name, updated.due)
    return { isDone: true, removed: present.id, present: updated }
  }

  function end(owner: number, one: End, tell: Tell): Ended {
    const { name, from, newId, next } = one
    if (next === null && run(END, ...refOf(one), owner) > 0) return 0
    const found = sql(
      `SELECT ${DUE_AGAIN} AS due FROM @, (SELECT ? AS next_due, ? AS next_id, ? AS began) WHERE ${FOUND} AND owner = ?`,
    ).get<{ due: number | null }>(next?.due ?? null, next?.id ?? null, from, ...refOf(one), owner)
    if (found === undefined) return null
    const { due } = found
    if (due !== null) {
      const { last, error } = next ?? { error: null }
      const again = { ...FRESH, id: newId, at: due, due, error, owner: 0 }
      write(one, last === undefined ? again : { ...again, last })
      tell(name, due)
      return due
    }
    if (next === null) run(`DELETE FROM @ WHERE ${FOUND}`, ...refOf(one))
    else {
      run(BECOME, ...NEXT.map((column) => next[column]), ...refOf(one))
      if (next.owner === 0) tell(name, next.due)
    }
    return 0
  }

  const statements: Statements = {
    ...processes.statements,
    claim({ owner, names }) {
      return transaction((now) => {
        const { own, living } = peers(owner, now)
        if (own === undefined) return null
        const owners = JSON.stringify(living.map((one) => one.owner))
        // A process whose lease has ended must not live again if the clock is set back.
        run(
          'UPDATE @_process SET alive = 0 WHERE alive AND id NOT IN (SELECT value FROM json_each(?))',
          owners,
        )
        return names.map((one) => claimOf(one, owner, owners, now))
      })
    },
    change({ owner, changes, isWhole }) {
      return telling(owner, (now, tell) => {
        const refused = isWhole ? changes.map(refusedBy) : []
        if (refused.some((present) => present !== null))
          return refused.map((present) => ({ isDone: false, removed: null, present }))
        return changes.map((change) => make(owner, change, now, tell))
      })
    },
    end: ({ owner, ends }) => telling(owner, (_, tell) => ends.map((one) => end(owner, one, tell))),
    remove: ({ owner, rows }) =>
      transaction(() => rows.filter((row) => remove(row, owner)).map(({ id }) => id)),
    retry({ id, due }) {
      return telling(0, (_, tell) => {
        const again = sql(
          `UPDATE @ SET due = max(at, ?), failures = 0, deaths = 0 WHERE id = ? AND due >= ${FAILED} RETURNING name`,
        ).get<{ name: string }>(due, id)
        if (again !== undefined) tell(again.name, due)
        return again?.name ?? null
      })
    },
    get: ({ name, key }) => find(name, key),
    names: () =>
      sql(NAMES)
        .all<{ name: string }>()
        .map(({ name }) => name),
    portion({ name, low, before, most }) {
      const rows: Row[] = []
      let bytes = 0
      const all = sql(`SELECT ${COLUMNS} FROM @ WHERE ${AFTER} AND due < ? ORDER BY due, id`)
      for (const row of all.iterate<Row>(name, ...low, before)) {
        const last = rows.at(-1)
        if (last !== undefined && (rows.length >= most || bytes > MOST_BYTES))
          return { rows, next: [last.due, last.id] }
        rows.push(row)
        bytes += bytesOf(row)
      }
      return { rows, next: null }
    },
    count: ({ from, to }) => sql(`${COUNT} WHERE name BETWEEN ? AND ?`).get(from, to)!,
  }
  return { ...statements, hasNews: processes.hasNews, close: connection.close }
}
