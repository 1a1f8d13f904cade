/**
 * What the engine asks of a database. A dialect is an object of this type; everything else, from claims to retries, is written once in
 * engine.ts. Times are whole milliseconds since 1970 on the database's clock.
 *
 * A timer is one row. Its owner is the process that has claimed it; 0: none. A process that opens a store gets a number that no other
 * ever has, and a lease; if the lease lapses, all that it owns counts as not owned. A claim raises the epoch of a row. So a row's id,
 * owner and epoch are the fence: a statement that names all three cannot touch a replaced timer or a later claim.
 */

/** A row of the table of timers. */
export interface Row {
  due: number
  /** The process that has set the timer times 2^32, plus a counter. New at each replacement and each run of a repeating timer. */
  id: number
  epoch: number
  /** How often the timer may have been started. */
  tries: number
  name: string
  key: string | null
  /** JSON. */
  data: string | null
  /** How a timer repeats, and what happens if it is late: see rule.ts. */
  rule: string | null
  /** The message of the last failure. */
  error: string | null
}

/** Due times of failed timers: this, plus the time of the failure. No claim looks that far. */
export const FAILED = 2 ** 52

/** A row that is set. */
export interface SetRow extends Pick<Row, 'due' | 'id' | 'name' | 'key' | 'data' | 'rule'> {
  /** The number of the setter, if it holds the timer; else 0. */
  owner: number
  /** Whether it is due before the next claim of the other processes, which must hear of it if the setter does not hold it. */
  isSoon: boolean
  ifExists: 'replace' | 'keep' | 'throw'
}

/** The end of an attempt: the row goes, or gets what `next` says. */
export interface Outcome extends Pick<Row, 'due' | 'id' | 'epoch'> {
  owner: number
  next: (Pick<Row, 'due' | 'id' | 'tries' | 'error'> & { owner: number; isSoon: boolean }) | undefined
}

export type Change =
  | { kind: 'set'; row: SetRow }
  | { kind: 'clear'; name: string; key: string }
  | { kind: 'end'; outcome: Outcome }
  | { kind: 'retry'; id: number; due: number }

/**
 * What became of a change. `set`: the row that is stored, and whether it was refused because there was one. `clear` and `retry`:
 * whether there was such a timer. `end`: whether the row was still the same.
 */
export interface Changed {
  isDone: boolean
  row?: Row
}

export interface Claim {
  owner: number
  /** Rows with one of these names. */
  names: readonly string[]
  /** Due after this row. */
  low: readonly [due: number, id: number]
  /** Due up to now plus this. */
  horizon: number
  most: number
}

export interface Beat {
  /** False: the lease had lapsed before. */
  isAlive: boolean
  /** The number of other processes that live. */
  others: number
  /** Whether another process has died since the last beat of any. */
  hasDead: boolean
}

export interface News {
  /** Rows of this process that were replaced or cleared. */
  lost: number[]
  /** The least due time of rows that nobody holds and that are due soon. */
  soon: number | undefined
}

export interface Store {
  /** The database's time: a lower bound, so that nothing is early. */
  now(): number
  /** Makes a process. @returns its number */
  join(lease: number): Promise<number>
  /** Prolongs the lease of a process, unless it has lapsed. */
  beat(owner: number, lease: number): Promise<Beat>
  /** Makes rows the own of a process: those of no living process, in order. */
  claim(claim: Claim): Promise<Row[]>
  /** Makes changes in one transaction, in order. */
  change(owner: number, changes: readonly Change[]): Promise<Changed[]>
  /** What other processes have noted for this one since the last call. */
  news(owner: number): Promise<News>
  /** Ends the lease of a process. What it still owns counts as not owned. */
  leave(owner: number): Promise<void>
  get(name: string, key: string): Promise<Row | undefined>
  /** The rows after `low` and due before `before`, at most `most`. */
  page(
    low: readonly [due: number, id: number],
    before: number,
    name: string | undefined,
    most: number,
  ): Promise<Row[]>
  /** Counts rows after `low` and due before `before`, at most `most`, and says where it stopped. */
  count(
    low: readonly [due: number, id: number],
    before: number,
    most: number,
  ): Promise<{ rows: number; last: [number, number] | undefined }>
  /** Deletes timers that have failed before this time. */
  forget(before: number): Promise<void>
  close(): Promise<void>
}
