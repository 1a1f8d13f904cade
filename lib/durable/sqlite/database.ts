/** The statements of a store in an SQLite file. Each works at once, in the thread of worker.ts. */
import {
  type Args,
  type Change,
  type Changed,
  type ClaimedOf,
  type ClaimOf,
  COLUMNS,
  COUNTED,
  DUE_AGAIN,
  type End,
  type Ended,
  FAILED,
  FRESH,
  MOST_BYTES,
  NAMES,
  NEXT,
  type Portion,
  type Position,
  type Ref,
  ROW_BYTES,
  type Row,
  SCHEDULE_END,
  type Statements,
} from '../common/store.js'
import { FOUND, Processes, refOf, type Tell } from './processes.js'

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

export class Database extends Processes implements Statements {
  claim({ owner, names }: Args<'claim'>): ClaimedOf[] | null {
    return this.transaction((now) => {
      const { own, living } = this.peers(owner, now)
      if (own === undefined) return null
      const owners = JSON.stringify(living.map((one) => one.owner))
      // A process whose lease has ended must not live again if the clock is set back.
      this.run(
        'UPDATE @_process SET alive = 0 WHERE alive AND id NOT IN (SELECT value FROM json_each(?))',
        owners,
      )
      return names.map((one) => this.#claimOf(one, owner, owners, now))
    })
  }

  /** @param owners the numbers of living processes, as JSON */
  #claimOf(
    { name, low, horizon, most, bytes }: ClaimOf,
    owner: number,
    owners: string,
    now: number,
  ): ClaimedOf {
    const ahead = now + horizon
    const rows: Row[] = []
    let size = 0
    let isCut = false
    const free = this.sql(
      `SELECT ${COLUMNS} FROM @ WHERE ${AFTER} AND due <= ? AND owner NOT IN (SELECT value FROM json_each(?))
       AND name NOT IN (SELECT name FROM @_paused) ORDER BY due, id`,
    )
    for (const row of free.iterate<Row>(name, ...low, ahead, owners)) {
      rows.push(row)
      size += ROW_BYTES + bytesOf(row)
      isCut = rows.length === most || size > bytes
      if (isCut) break
    }
    for (const row of rows) this.#take(row, owner, now)
    const last = rows.at(-1)
    const upTo: Position = !isCut ? [ahead, '~'] : last === undefined ? low : [last.due, last.id]
    const first = this.sql(`SELECT min(due) AS next FROM @ WHERE name = ? AND due > ? AND due < ${FAILED}`)
    const { next } = first.get<Pick<ClaimedOf, 'next'>>(name, ahead)!
    return { rows, upTo, isCut, hasSkipped: false, next }
  }

  #take(row: Row, owner: number, now: number): void {
    // What was due later than the lease, the process that has died has not started.
    if (row.owner !== 0 && (row.watched === 2 || row.due <= Math.min(this.#endOf(row.owner) ?? now, now))) {
      if (row.watched !== 1) row.starts++
      if (row.watched === 2) row.deaths++
      row.watched = 1
    }
    row.owner = owner
    this.run(TAKE, owner, row.starts, row.deaths, row.watched, ...refOf(row))
  }

  /** The end of a lease. */
  #endOf(owner: number): number | undefined {
    const lease = this.sql('SELECT until FROM @_process WHERE id = ?')
    return lease.get<{ until: number }>(owner)?.until
  }

  /** Changes columns of a row. */
  #write(row: Ref, values: Partial<Row & { marked: number | null }>): void {
    this.run(update(Object.keys(values)), ...Object.values(values), ...refOf(row))
  }

  /** Removes a row, and tells the process that owns it. Returns whether it was there. */
  #remove(row: Ref, owner: number): boolean {
    const found = this.sql(REMOVE).get<Pick<Row, 'id' | 'owner'>>(...refOf(row))
    if (found !== undefined) this.#tellOfLoss(found, owner)
    return found !== undefined
  }

  #tellOfLoss({ id, owner: holder }: Pick<Row, 'id' | 'owner'>, owner: number): void {
    if (holder === 0 || holder === owner) return
    const tell = 'INSERT OR IGNORE INTO @_message (process, id) VALUES (?, ?)'
    this.run(tell, holder, id)
  }

  change({ owner, changes, isWhole }: Args<'change'>): Changed[] {
    return this.telling(owner, (now, tell) => {
      const refused = isWhole ? changes.map((change) => this.#refused(change)) : []
      if (refused.some((present) => present !== null))
        return refused.map((present) => ({ isDone: false, removed: null, present }))
      return changes.map((change) => this.#make(owner, change, now, tell))
    })
  }

  /** The timer because of which `'throw'` refuses a change. */
  #refused({ name, key, ifExists }: Change): Row | null {
    const found = ifExists === 'throw' && key !== null ? this.get({ name, key }) : null
    return found !== null && found.due < FAILED ? found : null
  }

  #make(owner: number, change: Change, now: number, tell: Tell): Changed {
    const { id, name, key, due, data, rule, owner: holder, ifExists } = change
    const insert = (): boolean => {
      const isDone = this.run(INSERT, id, name, key, due, due, data, rule, holder) > 0
      if (isDone && holder === 0) tell(name, due)
      return isDone
    }
    const answer = (isDone: boolean, removed: string | null = null) => ({ isDone, removed, present: null })
    // Most keys are new.
    if (ifExists !== 'clear' && insert()) return answer(true)
    const found = key === null ? null : this.get({ name, key })
    if (found === null) return answer(false)
    if (found.due < FAILED && ifExists !== 'replace' && ifExists !== 'clear')
      return this.#meet(owner, found, change, now, tell)
    this.#remove(found, owner)
    return answer(ifExists === 'clear' || insert(), found.id)
  }

  /**
   * A set meets a timer that it does not replace, and marks it: if it is kept and may run, because its handler may not see what was set; if it
   * is updated and is due or has begun, because that run comes first.
   */
  #meet(owner: number, present: Row, change: Change, now: number, tell: Tell): Changed {
    const { id, due, data, rule, ifExists } = change
    const refused = (row: Row): Changed => ({ isDone: false, removed: null, present: row })
    const isDue = present.due <= now
    if (ifExists === 'throw' || (ifExists === 'keep' && !(isDue && present.owner !== 0)))
      return refused(present)
    if (ifExists === 'keep') {
      const next = Math.min(present.again ?? due, due)
      this.#write(present, { again: next, marked: now })
      return refused({ ...present, at: next, due: next, again: next })
    }
    const isSame = scheduleOf(present.rule) === scheduleOf(rule)
    if (isDue || present.starts > 0) {
      const again = isSame ? Math.min(present.again ?? 0, 0) : -due
      this.#write(present, { data, rule, again, marked: now })
      return refused({ ...present, data, rule, again })
    }
    const times = isSame ? {} : { at: due, due }
    const updated = { ...present, ...FRESH, ...times, id, data, rule, owner: 0 }
    this.#write(present, { ...updated, marked: null })
    this.#tellOfLoss(present, owner)
    tell(updated.name, updated.due)
    return { isDone: true, removed: present.id, present: updated }
  }

  remove({ owner, rows }: Args<'remove'>): string[] {
    return this.transaction(() => {
      const removed = rows.filter((row) => this.#remove(row, owner))
      return removed.map(({ id }) => id)
    })
  }

  end({ owner, ends }: Args<'end'>): Ended[] {
    return this.telling(owner, (_, tell) => ends.map((end) => this.#end(owner, end, tell)))
  }

  #end(owner: number, end: End, tell: Tell): Ended {
    const { name, from, newId, next } = end
    if (next === null && this.run(END, ...refOf(end), owner) > 0) return 0
    const found = this.sql(
      `SELECT ${DUE_AGAIN} AS due FROM @, (SELECT ? AS next_due, ? AS next_id, ? AS began) WHERE ${FOUND} AND owner = ?`,
    ).get<{ due: number | null }>(next?.due ?? null, next?.id ?? null, from, ...refOf(end), owner)
    if (found === undefined) return null
    const { due } = found
    if (due !== null) {
      const { last, error } = next ?? { error: null }
      const run = { ...FRESH, id: newId, at: due, due, error, owner: 0 }
      this.#write(end, last === undefined ? run : { ...run, last })
      tell(name, due)
      return due
    }
    if (next === null) this.run(`DELETE FROM @ WHERE ${FOUND}`, ...refOf(end))
    else {
      this.run(BECOME, ...NEXT.map((name) => next[name]), ...refOf(end))
      if (next.owner === 0) tell(name, next.due)
    }
    return 0
  }

  retry({ id, due }: Args<'retry'>): string | null {
    return this.telling(0, (_, tell) => {
      const again = this.sql(
        `UPDATE @ SET due = max(at, ?), failures = 0, deaths = 0 WHERE id = ? AND due >= ${FAILED} RETURNING name`,
      ).get<{ name: string }>(due, id)
      if (again !== undefined) tell(again.name, due)
      return again?.name ?? null
    })
  }

  get({ name, key }: Args<'get'>): Row | null {
    return this.sql(`SELECT ${COLUMNS} FROM @ WHERE name = ? AND key = ?`).get<Row>(name, key) ?? null
  }

  names(): string[] {
    return this.sql(NAMES)
      .all<{ name: string }>()
      .map(({ name }) => name)
  }

  portion({ name, low, before, most }: Args<'portion'>): Portion {
    const rows: Row[] = []
    let bytes = 0
    const all = this.sql(`SELECT ${COLUMNS} FROM @ WHERE ${AFTER} AND due < ? ORDER BY due, id`)
    for (const row of all.iterate<Row>(name, ...low, before)) {
      const last = rows.at(-1)
      if (last !== undefined && (rows.length >= most || bytes > MOST_BYTES))
        return { rows, next: [last.due, last.id] }
      rows.push(row)
      bytes += bytesOf(row)
    }
    return { rows, next: null }
  }

  count({ name, low, before }: Args<'count'>): { rows: number; next: Position | null } {
    const range = `FROM @ WHERE ${AFTER} AND due < ?`
    const most = this.sql(`SELECT due, id ${range} ORDER BY due, id LIMIT 1 OFFSET ${COUNTED - 1}`)
    const last = most.get<Ref>(name, ...low, before)
    if (last !== undefined) return { rows: COUNTED, next: [last.due, last.id] }
    const all = this.sql(`SELECT count(*) AS rows ${range}`).get<{ rows: number }>(name, ...low, before)!
    return { ...all, next: null }
  }
}
