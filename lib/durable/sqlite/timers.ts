/** The statements that change timers: claims, and the changes of a transaction. */
import {
  after,
  type Change,
  type Changed,
  type Claim,
  type Claimed,
  type End,
  type Ended,
  FAILED,
  type Row,
  type SetRow,
} from '../common/store.js'
import type { Connection } from './connection.js'
import type { Processes } from './processes.js'
import { COLUMNS, MOST_BYTES, sizeOf } from './rows.js'

type Found = Row & { owner: number }

export class Timers {
  readonly #connection: Connection
  readonly #processes: Processes
  /** The last id that this transaction has used. */
  #id = 0

  constructor(connection: Connection, processes: Processes) {
    this.#connection = connection
    this.#processes = processes
  }

  claim({ owner, names, low, horizon, bound, most }: Claim): Claimed {
    return this.#connection.transaction((now) => {
      const lives = this.#connection.living(now)
      const upTo = after(Math.min(now + horizon, bound))
      const alive = this.#connection
        .sql('SELECT 1 FROM @process WHERE id = ? AND @lives')
        .get(owner, ...lives)
      if (alive === undefined) return { isAlive: false, rows: [], upTo: low, isCut: false, next: undefined }
      const found = this.#claimable(low, upTo[0], names, lives, most)
      const ends = new Map<number, number>()
      const rows = found.rows.map((row) => this.#take(row, owner, now, ends))
      const last = rows.at(-1)
      return {
        isAlive: true,
        rows,
        upTo: found.isCut ? [last!.due, last!.id] : upTo,
        isCut: found.isCut,
        next: this.#connection
          .sql('SELECT due FROM @timer WHERE due > ? AND due < ? ORDER BY due LIMIT 1')
          .get(now + horizon, FAILED)?.due as number | undefined,
      }
    })
  }

  /** The first rows that no living process owns. */
  #claimable(
    low: Claim['low'],
    upTo: number,
    names: readonly string[],
    lives: [number, number],
    most: number,
  ): { rows: Found[]; isCut: boolean } {
    const rows: Found[] = []
    let bytes = 0
    // `+` keeps SQLite from the index of names and keys, whose rows it would have to sort.
    const found = this.#connection
      .sql(
        `SELECT ${COLUMNS}, owner FROM @timer WHERE (due, id) > (?, ?) AND due <= ?
         AND +name IN (SELECT value FROM json_each(?)) AND owner NOT IN (SELECT id FROM @process WHERE @lives)
         ORDER BY due, id LIMIT ?`,
      )
      .iterate(...low, upTo, JSON.stringify(names), ...lives, most) as Iterable<unknown> as Iterable<Found>
    for (const row of found) {
      rows.push(row)
      bytes += sizeOf(row)
      if (rows.length === most || bytes > MOST_BYTES) return { rows, isCut: true }
    }
    return { rows, isCut: false }
  }

  /** @param ends the ends of the leases of the dead */
  #take({ owner: former, ...row }: Found, owner: number, now: number, ends: Map<number, number>): Row {
    let end = ends.get(former)
    if (end === undefined) {
      const until = former === 0 ? -1 : this.#processes.bury(former)
      end = Math.min(until ?? now, now)
      ends.set(former, end)
    }
    // The process that has died may have started what was due before its lease ended, and nothing else.
    const taken = { ...row, fence: row.fence + 1, tries: row.tries + (row.due <= end ? 1 : 0) }
    this.#connection
      .sql('UPDATE @timer SET owner = ?, fence = ?, tries = ? WHERE due = ? AND id = ?')
      .run(owner, taken.fence, taken.tries, row.due, row.id)
    return taken
  }

  change(owner: number, changes: readonly Change[]): Changed[] {
    return this.#connection.transaction((now) => {
      this.#reserve(changes.filter(({ kind }) => kind === 'set').length)
      return this.#telling(owner, now, changes, (change) => {
        if (change.kind === 'clear') return [this.#clear(owner, change.name, change.key, now), undefined]
        const { due, owner: holder } = change.row
        const changed = this.#set(owner, change.row, now)
        return [changed, changed.isDone && holder === 0 ? due : undefined]
      })
    })
  }

  end(owner: number, ends: readonly End[]): Ended[] {
    return this.#connection.transaction((now) => {
      this.#reserve(ends.filter(({ next }) => next !== undefined && next.id === undefined).length)
      return this.#telling(owner, now, ends, (end) => {
        const ended = this.#end(end)
        return [ended, ended.isDone && end.next?.owner === 0 ? end.next.due : undefined]
      })
    })
  }

  retry(owner: number, id: number, due: number): boolean {
    return this.#connection.transaction((now) => {
      // With the condition of the index of failed timers.
      const { changes } = this.#connection
        .sql(`UPDATE @timer SET due = ?, fence = fence + 1, tries = 0 WHERE id = ? AND due >= ${FAILED}`)
        .run(due, id)
      if (changes > 0) this.#processes.tellSoon(owner, due, now)
      return changes > 0
    })
  }

  /** @param act returns an answer, and when the row is due if nobody holds it */
  #telling<T, A>(
    owner: number,
    now: number,
    all: readonly T[],
    act: (one: T) => [A, due: number | undefined],
  ): A[] {
    let soon = FAILED
    const answers = all.map((one) => {
      const [answer, due] = act(one)
      if (due !== undefined) soon = Math.min(soon, due)
      return answer
    })
    if (soon < FAILED) this.#processes.tellSoon(owner, soon, now)
    return answers
  }

  /** Reserves so many ids. */
  #reserve(needed: number): void {
    if (needed === 0) return
    const { last } = this.#connection
      .sql('UPDATE @number SET last = last + ? RETURNING last')
      .get(needed) as { last: number }
    this.#id = last - needed
  }

  find(name: string, key: string): Found | undefined {
    return this.#connection
      .sql(`SELECT ${COLUMNS}, owner FROM @timer WHERE name = ? AND key = ?`)
      .get(name, key) as Found | undefined
  }

  #set(setter: number, { due, owner, name, key, data, rule, ifExists }: SetRow, now: number): Changed {
    const found = key === null ? undefined : this.find(name, key)
    if (found !== undefined) {
      if (ifExists !== 'replace' && found.due < FAILED) return { isDone: false, present: found }
      this.#remove(setter, found, now)
    }
    const id = ++this.#id
    this.#connection
      .sql('INSERT INTO @timer (due, id, owner, name, key, data, rule) VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(due, id, owner, name, key, data, rule)
    return { isDone: true, id, ...(found && { removed: found.id }) }
  }

  #clear(owner: number, name: string, key: string, now: number): Changed {
    const found = this.find(name, key)
    if (found === undefined) return { isDone: false }
    this.#remove(owner, found, now)
    return { isDone: found.due < FAILED, removed: found.id }
  }

  #remove(owner: number, found: Found, now: number): void {
    this.#connection.sql('DELETE FROM @timer WHERE due = ? AND id = ?').run(found.due, found.id)
    if (found.owner !== 0 && found.owner !== owner) this.#processes.tellLost(found.owner, found.id, now)
  }

  #end({ due, id, owner, fence, next }: End): Ended {
    const same = 'due = ? AND id = ? AND owner = ? AND fence = ?'
    const position = [due, id, owner, fence]
    if (next === undefined)
      return { isDone: this.#connection.sql(`DELETE FROM @timer WHERE ${same}`).run(...position).changes > 0 }
    const nextId = next.id ?? ++this.#id
    const { changes } = this.#connection
      .sql(
        `UPDATE @timer SET due = ?, id = ?, owner = ?, fence = fence + 1, tries = ?, error = ? WHERE ${same}`,
      )
      .run(next.due, nextId, next.owner, next.tries, next.error, ...position)
    return changes > 0 ? { isDone: true, id: nextId } : { isDone: false }
  }

  keep(owner: number, own: readonly Pick<Row, 'id' | 'fence'>[]): number[] {
    return this.#connection.transaction(() => {
      const wanted = new Map(own.map(({ id, fence }) => [id, fence]))
      // Reads the whole table. It is rare: after a lost answer.
      for (const row of this.#connection
        .sql('SELECT due, id, fence FROM @timer WHERE owner = ?')
        .all(owner)) {
        const { due, id, fence } = row as { due: number; id: number; fence: number }
        if (wanted.get(id) === fence) wanted.delete(id)
        else
          this.#connection
            .sql('UPDATE @timer SET owner = 0, fence = fence + 1 WHERE due = ? AND id = ?')
            .run(due, id)
      }
      return [...wanted.keys()]
    })
  }
}
