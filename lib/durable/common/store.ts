/**
 * What the engine asks of a database. A dialect is an object of this type: statements, and a way to send them. All else, from claims to
 * retries, is written once, in the other files of this folder. Times are whole milliseconds since 1970 on the database's clock.
 *
 * A timer is one row. Its owner is the number of the process that has claimed it; 0: none. A process gets a number that no other ever
 * has, and a lease. If the lease lapses, all rows of the number count as not owned, and the process goes on under a new number. Each
 * claim raises the fence of a row. So a statement that names id, owner and fence cannot touch a replaced timer or a later claim.
 *
 * A process lives if its lease ends after now, and not later than `LONGEST_LEASE` from now: a lease that ends later was given before
 * the clock was set back. Once a claim has taken a row from a process that does not live, that process never lives again.
 *
 * A method rejects with a {@link DurableError}. Its code is `ERR_DURABLE_DOUBT` if the change may have been made all the same.
 */

/** A row of the table of timers. */
export interface Row {
  due: number
  /** New at each replacement, and for each run of a repeating timer. Greater than those before it in the same call. */
  id: number
  fence: number
  /** How often the timer may have been started. */
  tries: number
  name: string
  key: string | null
  /** JSON. */
  data: string | null
  /** JSON of how a timer repeats, and what happens if it is late: see rule.ts. */
  rule: string | null
  /** The message of the last failure. */
  error: string | null
}

/** A position in the order in which timers are due. */
export type Position = readonly [due: number, id: number]

export const START: Position = [-1, 0]

/** The position after all rows that are due at a time. */
export const after = (due: number): Position => [due, Number.MAX_SAFE_INTEGER]

/** Due times of failed timers: this, plus the time of the failure. No claim looks that far. */
export const FAILED = 2 ** 52

/** Milliseconds. The longest lease that may be asked for is half of it. */
export const LONGEST_LEASE = 120_000

/** A timer that is set. */
export interface SetRow extends Pick<Row, 'due' | 'name' | 'key' | 'data' | 'rule'> {
  /** The number of the setter, if it holds the timer; else 0. */
  owner: number
  ifExists: 'replace' | 'keep' | 'throw'
}

/** The end of an attempt, or of a wait that is given back: of a row that a process owns. */
export interface End extends Pick<Row, 'due' | 'id' | 'fence' | 'name' | 'key'> {
  owner: number
  /** What the row becomes; undefined: it is removed. */
  next: Next | undefined
}

/** What a row becomes at the end of an attempt. */
export interface Next extends Pick<Row, 'due' | 'tries' | 'error'> {
  /** Undefined: a new one. */
  id: number | undefined
  owner: number
}

export type Change = { kind: 'set'; row: SetRow } | { kind: 'clear'; name: string; key: string }

export interface Changed {
  /** `set`: whether the timer is stored. `clear`: whether there was one. */
  isDone: boolean
  /** The id of the new row. */
  id?: number
  /** The id of the row that was replaced or cleared. */
  removed?: number
  /** The timer that is there, if `set` was refused. */
  present?: Row
}

export interface Ended {
  /** Whether the row was still the same. */
  isDone: boolean
  /** The id that it has now. */
  id?: number
}

export interface Claim {
  owner: number
  /** Rows with one of these names. */
  names: readonly string[]
  /** Due after this position, */
  low: Position
  /** up to now plus this, */
  horizon: number
  /** and up to this time. */
  bound: number
  most: number
}

export interface Claimed {
  /** False: the lease has lapsed, and nothing was claimed. */
  isAlive: boolean
  /** In order. */
  rows: Row[]
  /** All rows up to this position were looked at. */
  upTo: Position
  /** Whether more can be claimed at once. */
  isCut: boolean
  /** The first due time after the horizon, if there is one. */
  next: number | undefined
}

export interface Joined {
  number: number
  /** The end of the lease. */
  until: number
}

export interface Beat {
  /** The new end of the lease; undefined: it has lapsed. */
  until: number | undefined
  /** The number of other processes that live. */
  others: number
  /** When the first of their leases ends, if it is not prolonged. */
  nextEnd: number | undefined
}

export interface News {
  /** False: the lease has lapsed. */
  isAlive: boolean
  /** Rows of this process that were replaced or cleared by others. */
  lost: number[]
  /** The least due time of rows that nobody holds and that are due within the horizon of this process. */
  soon: number | undefined
  others: number
}

export interface Portion {
  rows: Row[]
  /** Where the next portion begins; undefined: there is none. */
  next: Position | undefined
}

export interface Store {
  /** The database's time: a lower bound, so that nothing is early. */
  now(): number
  /** Calls back when {@link news} may have something to tell: once, until it was called. */
  onNews(callback: () => void): void
  /** Makes a process, and tells others that it is there. */
  join(lease: number, horizon: number): Promise<Joined>
  /** Prolongs the lease of a process, unless it has lapsed. */
  beat(owner: number, lease: number): Promise<Beat>
  /** Makes rows the own of a process: the first of those that no living process owns. */
  claim(claim: Claim): Promise<Claimed>
  /**
   * Makes changes in one transaction, in order. Tells other processes of rows that they held, and of rows due within their horizons.
   *
   * @param wasDivided they were refused together with others, perhaps because of one
   */
  change(owner: number, changes: readonly Change[], wasDivided: boolean): Promise<Changed[]>
  /** Ends attempts in one transaction. Tells other processes of rows that nobody holds and that are due within their horizons. */
  end(owner: number, ends: readonly End[], wasDivided: boolean): Promise<Ended[]>
  /** Makes a failed timer due. @returns whether there was one */
  retry(owner: number, id: number, due: number): Promise<boolean>
  /** Makes a change on a connection of the program, in its transaction. Undefined: the database has none. */
  within?(client: unknown, change: Change): Promise<Changed>
  /** What other processes have told for this one since the last call. */
  news(owner: number): Promise<News>
  /**
   * Gives back all rows of a process but these. Undefined: a statement whose answer was lost may still be made, so the process leaves, and
   * joins under a new number. @returns the ids of those that are not the process's own
   */
  keep?(owner: number, own: readonly Pick<Row, 'id' | 'fence'>[]): Promise<number[]>
  /** Ends the lease of a process, and tells others. What it still owns counts as not owned. */
  leave(owner: number): Promise<void>
  get(name: string, key: string): Promise<Row | undefined>
  /** Some of the rows after `low` and due before `before`, in order. */
  portion(low: Position, before: number, name: string | undefined): Promise<Portion>
  /** Counts some of the rows after `low` and due before `before`. */
  count(low: Position, before: number): Promise<{ rows: number; next: Position | undefined }>
  /** Deletes some of the timers that have failed before a time. @returns whether there may be more */
  forget(before: number): Promise<boolean>
  close(): Promise<void>
}
