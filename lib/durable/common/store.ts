/**
 * What the engine asks of a database: the rows, and the statements of both dialects. docs/contributing/durable.md has the design. All else,
 * from claims to retries, is written once, in the folder `engine`. Times are whole milliseconds since 1970 on the database's clock. What
 * is absent is null, because arguments and answers travel as JSON or as messages.
 *
 * A statement rejects with a {@link DurableError}. Its code is `ERR_DURABLE_DOUBT` if the change may have been made all the same.
 */

/** A row of the table of timers: docs/contributing/durable.md says what its columns hold. */
export interface Row {
  id: string
  name: string
  key: string | null
  at: number
  due: number
  data: string | null
  rule: string | null
  last: number | null
  owner: number
  starts: number
  failures: number
  deaths: number
  watched: number
  again: number | null
  error: string | null
}

/** What finds a row. */
export type Ref = Pick<Row, 'name' | 'due' | 'id'>

/** A position in the order in which the timers of a name are due. */
export type Position = readonly [due: number, id: string]

/** Where a process runs. Null: the system does not say. */
export interface Place {
  boot: string | null
  space: string | null
  pid: number
  began: string | null
}

/** A process whose lease has not ended, and where it runs. */
export interface Peer extends Place {
  owner: number
  until: number
}

export interface Join {
  /** The new number of the process, and those under which it may own rows, which end. If all have ended, the call comes late. */
  owner: number
  former: readonly number[]
  lease: number
  horizon: number
  place: Place
  /** The rows that it holds. Those that it owns get the new number. */
  held: readonly Ref[]
}

export interface Joined {
  /** The end of the lease. */
  until: number
  /** The ids of those of `held` that it does not own. */
  lost: string[]
  others: Peer[]
}

/** What to claim of a name. */
export interface ClaimOf {
  name: string
  /** Due after this position, */
  low: Position
  /** up to now plus this, */
  horizon: number
  /** so many rows, with so many bytes but for the last one. */
  most: number
  bytes: number
}

export interface ClaimedOf {
  /** In order. */
  rows: Row[]
  /** All free rows up to this position were claimed or skipped. */
  upTo: Position
  /** Whether more can be claimed at once. */
  isCut: boolean
  /** Whether another transaction has locked one that may be free. */
  hasSkipped: boolean
  /** The first due time after the horizon. */
  next: number | null
}

/** A timer that is set, or the key of a timer that is cleared. */
export interface Change extends Pick<Row, 'id' | 'due' | 'name' | 'key' | 'data' | 'rule' | 'owner'> {
  /** What happens to the timer that has the key. After `clear`, nothing is stored in its place. */
  ifExists: 'clear' | 'replace' | 'keep' | 'throw' | 'update'
}

/** Null: no timer had the key, and none was refused. The new one is stored, or there is none to clear. */
export type Changed = null | {
  /** Whether the timer is stored, or cleared. */
  isDone: boolean
  /** The id of the row that was replaced or cleared. */
  removed: string | null
  /** The timer that is there, if the change was refused or has updated it. */
  present: Row | null
}

/** What becomes of a row that a process owns: its attempt starts or ends, or it is given back. */
export interface End extends Ref {
  key: string | null
  /** When the handler started. A later mark makes the row due again. */
  from: number
  /** The id that the row gets in this case. */
  newId: string
  /** What the row becomes; null: it is removed. */
  next: Next | null
}

export type Next = Omit<Row, 'name' | 'key' | 'data' | 'rule' | 'again'>

/** Null: the row was not found as it was. A number above 0: the row is due again then, because it was marked. */
export type Ended = number | null

/** Without an id: rows of a name may be claimed that are due at this time or later. Without a name, too: of all names. */
export interface Message {
  name: string
  /** A row of the process that was replaced or cleared by another one. */
  id: string
  due: number
}

export interface News {
  /** The end of the lease; null: it has ended. */
  until: number | null
  messages: Message[]
  others: Peer[]
  /** The names that no process claims. */
  paused: string[]
}

export interface Portion {
  rows: Row[]
  /** Where the next portion begins; null: there is none. */
  next: Position | null
}

/** The statements of a store, each in a transaction of its own. `owner` is the process that asks. */
export interface Statements {
  /** Begins a lease under a new number. Tells others, because rows become free. */
  join(args: Join): Joined
  /**
   * What other processes have told this one since the last call. `lease`: renews a lease that has not ended. 0: ends it, that of this process or
   * of one that does not run any more, and tells others, because rows become free.
   */
  beat(args: { owner: number; lease: number | null }): News
  /** Gives the process free rows. Null: its lease has ended. */
  claim(args: { owner: number; names: readonly ClaimOf[] }): ClaimedOf[] | null
  /**
   * Makes changes, of which no two have the same key. Tells other processes of rows that they held, and of free rows.
   * `isWhole`: they cannot be divided. If `'throw'` refuses one, none is made.
   */
  change(args: { owner: number; changes: readonly Change[]; isWhole: boolean }): Changed[]
  /** Changes rows that the process owns. Tells other processes of those that become free. */
  end(args: { owner: number; ends: readonly End[]; isWhole: boolean }): Ended[]
  /** Makes a failed timer due. Gives its name; null: there is none. */
  retry(args: { id: string; due: number }): string | null
  /** Removes timers. Tells other processes of rows that they held. Gives the ids of those that were there. */
  remove(args: { owner: number; rows: readonly Ref[] }): string[]
  /** Keeps all processes from claiming rows of a name, or lets them again. Tells them. */
  pause(args: { name: string; isPaused: boolean }): null
  get(args: { name: string; key: string }): Row | null
  /** The names of all rows. */
  names(args: Record<never, never>): string[]
  /** Some of the rows of a name after `low` and due before `before`, in order. */
  portion(args: { name: string; low: Position; before: number; most: number }): Portion
  /** Counts the timers of all names from one to another. */
  count(args: { from: string; to: string }): Record<'pending' | 'failed', number>
}

export type Method = keyof Statements
export type Args<M extends Method> = Parameters<Statements[M]>[0]
export type Answer<M extends Method> = ReturnType<Statements[M]>

export interface Store {
  /** The database's time, unless its clock is being set. */
  now(): number
  /** The least time that it can be. After each answer, both are about the same. */
  least(): number
  /** Calls back when there may be news. */
  onNews(callback: () => void): void
  /** Whether it does that at once, unless the network loses something. */
  isTold?(): boolean
  call<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>>
  /** Sends a statement on a connection of the program, in its transaction. Absent: the database has none. */
  within?<M extends Method>(client: unknown, method: M, args: Args<M>): Promise<Answer<M>>
  /** Whether the program has ended its connections. */
  isGone?(): boolean
  close(): Promise<void>
}
