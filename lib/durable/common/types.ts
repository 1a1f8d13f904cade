/** The types of `timeout-wheel/durable`. */
import type { TimerOptions } from 'timeout-wheel'

/** What sends queries: a pool or a client of `pg`, PGlite, or an object around another driver. */
export interface PostgresClient {
  /** Resolves to the rows, or to an object with `rows`. Statements for many calls, and in the background, have no async context. */
  query(text: string, params: unknown[]): Promise<unknown>
}

/** A PostgreSQL database as a store: what `postgres(client)` returns. */
export interface PostgresDatabase {
  readonly client: PostgresClient
}

export interface PostgresFunction {
  /** A PostgreSQL database as a store, which processes on several machines can share. @throws TypeError if `client` has no method `query` */
  (client: PostgresClient): PostgresDatabase
}

/** A clock for tests, which `manualClock(date)` makes. Its time passes only in {@link DurableTimers.advance}. */
export interface ManualClock {
  /** Milliseconds since 1970. */
  now(): number
}

export interface ManualClockFunction {
  /**
   * Makes a clock for the option `clock` of one store.
   *
   * @param start the time at which it begins, as a Date or in milliseconds since 1970; default: now
   * @throws TypeError or RangeError if `start` is no time
   */
  (start?: Date | number): ManualClock
}

/** Options of `DurableTimers.open`. */
export interface DurableOptions {
  /** For tests: a clock of `manualClock`. No other open store may have it, or use the same tables. Default: the clock of the store's machine. */
  clock?: ManualClock | undefined
  /** If a process dies, its timers run in another one within this time: whole milliseconds from 1,000 to 60,000. Default: 15,000. */
  lease?: number | undefined
  /** How many milliseconds before their due times timers are claimed: a whole number from 100 to 60,000. Default: 5,000. */
  horizon?: number | undefined
  /** Milliseconds for which a failed timer is kept for {@link DurableTimers.failed}: from 0 to `Infinity`. Default: 604,800,000, a week. */
  retention?: number | undefined
  /** With PostgreSQL: the schema of the tables. It may have the same characters as `table`. Default: `'timeout_wheel'`. */
  schema?: string | undefined
  /** The table, and the start of the names of the others: a letter, then up to 40 letters, digits and `_`. Default: `'timers'`. */
  table?: string | undefined
  /**
   * Called with each error of a handler. Also called, without a timer, with errors of statements that are tried again and of leases that
   * have ended: with each message once in ten seconds. What it throws is an uncaught exception. Default: prints the error, its timer and its stack by `console.error`.
   */
  onError?: ((error: Error, source: DurableErrorSource) => void) | undefined
}

/** The timer whose attempt has failed. All fields are undefined if the error has another cause. */
export interface DurableErrorSource {
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly id?: string | undefined
  readonly attempt?: number | undefined
}

/** What a handler gets. A copy lacks its methods, and `signal`. */
export interface DurableRun<T = unknown> {
  readonly name: string
  readonly key: string | undefined
  readonly data: T
  /** The scheduled time of the run, which is the same in each attempt. No attempt starts earlier. */
  readonly due: Date
  /** 1, plus the attempts that failed, were aborted or called `retryIn`, plus the deaths of processes that may have started the run. */
  readonly attempt: number
  /** Unique over all stores, and the same in each attempt of the run. The next run of a repeating timer has another. */
  readonly id: string
  /** Aborted if other code than the handler replaces or clears the timer, at `timeout`, if the lease has ended, and at the end of `close`. */
  readonly signal: NonNullable<TimerOptions['signal']>
  /** Sets the wait before the next attempt, which comes also if the handler succeeds: milliseconds, from 0 to 100 years. */
  retryIn(ms: number): void
  /** Makes the timer fail for good, with this reason, when the handler ends. */
  fail(reason: unknown): void
}

/** Runs a timer, without an async context. If it throws, or returns a promise that is rejected, the timer is tried again. */
export type DurableHandler<T = unknown> = (run: DurableRun<T>) => unknown

/** Options of {@link DurableTimers.on}. */
export interface DurableHandlerOptions {
  /** How many timers of the name run at once in this process: a whole number from 1. Default: 100. */
  concurrency?: number | undefined
  /** How many timers of the name this process holds before they start: a whole number from 1. Default: 10,000. */
  prefetch?: number | undefined
  /** Milliseconds after which an attempt fails, even if the handler succeeds later: from 1 to `Infinity`. Default: 900,000, 15 minutes. */
  timeout?: number | undefined
  /** How many failures are tried again: a whole number from 0. Default: 10, which takes 8 to 17 minutes with the default `backoff`. */
  retries?: number | undefined
  /**
   * Milliseconds before the first retry: from 1 to 100 years. The wait doubles with each retry, up to an hour, and is shortened at random
   * by up to a half. Default: 1,000.
   */
  backoff?: number | undefined
  /** How many processes die while the handler runs, before the timer fails: a whole number from 1. Default: 5. */
  deaths?: number | undefined
}

/** What JSON keeps of a type, in which interfaces need no index signature: a Date, a Map and other objects with methods fit nothing. */
type Json<T> = T extends ((...args: never) => unknown) | bigint | symbol
  ? never
  : T extends object
    ? { [Name in keyof T]: Json<T[Name]> }
    : T

/** Data can be left out if its type allows `undefined`. */
type WithData<Data> = undefined extends Data ? { data?: Json<Data> | undefined } : { data: Json<Data> }

/** Options that stand alone: the others are absent. */
type Alone<Given, Absent extends string> = Given & { [Name in Absent]?: undefined }

/** The combinations of options that set the due time. */
type Schedule =
  | Alone<{ delay: number }, 'at' | 'every' | 'cron' | 'timeZone'>
  | Alone<{ at: Date | number }, 'delay' | 'every' | 'cron' | 'timeZone'>
  | Alone<{ every: number; key: string; delay?: number | undefined }, 'at' | 'cron' | 'timeZone'>
  | Alone<{ every: number; key: string; at: Date | number }, 'delay' | 'cron' | 'timeZone'>
  | Alone<{ cron: string; key: string }, 'delay' | 'at' | 'every'>

/** What {@link DurableTimers.set} takes: one of `delay`, `at`, `every` and `cron`. With `every`, `delay` or `at` sets the first due time. */
export type DurableTimerOptions<Data = unknown> = DurableTimerFields & WithData<Data> & Schedule

/** The fields of {@link DurableTimerOptions}. */
export interface DurableTimerFields {
  /** The name of one timer among those of its name: 1 to 512 bytes of UTF-8. Without it, the timer cannot be replaced or cleared. */
  key?: string | undefined
  /** Milliseconds from now to the due time: from 0 to 100 years. */
  delay?: number | undefined
  /** The due time, as a Date or in milliseconds since 1970. A timer whose due time has passed runs at once. */
  at?: Date | number | undefined
  /**
   * What the handler gets: null, booleans, finite numbers, strings, arrays and plain objects, at most 1 MB as JSON. What JSON would change
   * is refused, such as a Date, but properties that are undefined are left out, and -0 becomes 0. Default: undefined.
   */
  data?: unknown
  /** With PostgreSQL: a connection on which the program has begun a transaction. The call becomes part of it. */
  db?: PostgresClient | undefined
  /**
   * What happens to a timer with the same name and key. One that has failed for good is replaced in any case.
   * Default: `'replace'`. The others need a key.
   *
   * - `'replace'`: the new timer takes its place.
   * - `'keep'`: the present timer stays. If its handler may be running, the timer runs once more, at the new due time, with its own data.
   * - `'throw'`: the call is refused.
   * - `'update'`, with `every` or `cron`: the present timer gets the new data and options. It keeps its next due time if `every`, `cron` and
   *   `timeZone` are the same. A run that is due or has begun comes first: it keeps its `id`, its due time and its attempts.
   */
  ifExists?: 'replace' | 'keep' | 'throw' | 'update' | undefined
  /** Repeats the timer: whole milliseconds from one due time to the next, from 1 to 100 years. The key is required. */
  every?: number | undefined
  /** Repeats the timer at the times of a cron expression. It needs the package `croner`, 11 or later. The key is required. */
  cron?: string | undefined
  /** The time zone of `cron`, such as `'Europe/Berlin'`. Default: `'UTC'`. */
  timeZone?: string | undefined
  /**
   * What happens to due times that have passed by more than `grace` when the run would start, whatever the cause.
   *
   * - `'run'`: the timer runs for each of them. Default without `every` and `cron`.
   * - `'once'`: the timer runs for the last of them. Default with `every` and `cron`.
   * - `'skip'`: the timer runs for none of them.
   */
  late?: 'run' | 'once' | 'skip' | undefined
  /** Milliseconds that a due time may have passed before `late` applies: from 0 to 100 years. Default: 1,000. */
  grace?: number | undefined
  /** The option `retries` of {@link DurableHandlerOptions}, for this timer alone. Default: that of the handler. */
  retries?: number | undefined
}

/** Options of {@link DurableTimers.setMany}, {@link DurableTimers.clear}, {@link DurableTimers.get} and {@link DurableTimers.retry}. */
export interface DurableCallOptions {
  /** The same as in {@link DurableTimerOptions}. */
  db?: PostgresClient | undefined
}

/** A timer in the store. */
export interface DurableTimer<T = unknown, Name extends string = string> {
  readonly id: string
  readonly name: Name
  readonly key: string | undefined
  readonly data: T
  /** When the next attempt is due. If the timer has failed for good, the time of the failure. */
  readonly due: Date
  /** The `attempt` of the last start that is over; 0 if there is none. */
  readonly attempt: number
  /** The message of the last failure. */
  readonly error: string | undefined
  /** The rule of a timer that repeats. */
  readonly every: number | undefined
  readonly cron: string | undefined
  readonly timeZone: string | undefined
  /** The due time of the previous run, if the timer repeats and has run. */
  readonly last: Date | undefined
}

/** A timer of one of these names: its `name` tells the type of its data. */
type DurableTimerOf<Names extends object, N extends keyof Names> = {
  [Name in N & string]: DurableTimer<Names[Name], Name>
}[N & string]

/** Which timers {@link DurableTimers.list} and {@link DurableTimers.failed} give. Default: all. */
export interface DurableListOptions<Name extends string = string> {
  /** Only timers of this name. */
  name?: Name | undefined
  /** Only timers that are due, or have failed, before this time. */
  before?: Date | number | undefined
}

/** What {@link DurableTimers.stats} counts. */
export interface DurableStats {
  /** Timers in the store that wait or run. */
  pending: number
  /** Timers that have failed for good. */
  failed: number
  /** Timers that this process has claimed and not started. */
  held: number
  /** Handlers of this process that run. */
  running: number
  /** Attempts that have succeeded in this process since it opened the store. */
  ran: number
  /** Attempts that have failed in this process since then. */
  failures: number
  /** Percentiles of the milliseconds from due time to start, over the last 1,000 first attempts of each name in this process. */
  lateness: { p50: number; p99: number }
}

/**
 * Timers that outlive the process: in a file, or in a database that several machines share.
 *
 * `Names` has the names of the timers and the types of their data, such as `{ 'order-expires': { order: string } }`. Default: all names,
 * with data of the type `unknown`.
 */
export interface DurableTimers<Names extends object = Record<string, unknown>> {
  /**
   * Runs the timers of a name in this process: each at least once, and never before it is due. Timers of names without a handler wait.
   *
   * @throws `DurableError` with the code `ERR_DURABLE_HANDLER` if the name has a handler
   */
  on<N extends keyof Names & string>(
    name: N,
    handler: DurableHandler<Names[N]>,
    options?: DurableHandlerOptions,
  ): void
  /** Removes the handler of a name. Timers that wait are given back, and attempts that run go on. Returns whether there was one. */
  off(name: keyof Names & string): boolean
  /**
   * Stops the starts of timers of a name: in this process, or with `everywhere` in all, including those that open the store later. Attempts
   * that run go on.
   */
  pause(name: keyof Names & string, options?: { everywhere?: boolean | undefined }): Promise<void>
  /** Ends a pause of a name: that in this process, or with `everywhere` that in all processes. Neither ends the other. */
  resume(name: keyof Names & string, options?: { everywhere?: boolean | undefined }): Promise<void>
  /**
   * Stores a timer. Fulfilled when a crash or a loss of power can no longer lose it.
   *
   * @throws `DurableError`: if its code is `ERR_DURABLE_DOUBT`, the timer may have been stored, else it was not
   */
  set<N extends keyof Names & string>(
    name: N,
    options: DurableTimerOptions<Names[N]>,
  ): Promise<DurableTimerOf<Names, N>>
  /**
   * Stores timers with different keys: all or none, if there are at most 2,000 with 4 MB of data. More are stored in parts, in order.
   * If a part is refused, the property `stored` of the error has the number of rows that are stored all the same.
   */
  setMany<N extends keyof Names & string>(
    name: N,
    rows: Iterable<DurableTimerOptions<Names[N]>>,
    options?: DurableCallOptions,
  ): Promise<DurableTimerOf<Names, N>[]>
  /** Removes a timer, also one that has failed. If its handler runs, the signal is aborted. Fulfilled with whether there was one. */
  clear(name: keyof Names & string, key: string, options?: DurableCallOptions): Promise<boolean>
  /** Reads a pending timer; undefined if there is none. */
  get<N extends keyof Names & string>(
    name: N,
    key: string,
    options?: DurableCallOptions,
  ): Promise<DurableTimerOf<Names, N> | undefined>
  /** The pending timers: those of each name in the order of their due times. They are read in portions. */
  list<N extends keyof Names & string>(
    options?: DurableListOptions<N>,
  ): AsyncGenerator<DurableTimerOf<Names, N>, void>
  /** The timers that have failed for good: those of each name in the order of their failures. They are read in portions. */
  failed<N extends keyof Names & string>(
    options?: DurableListOptions<N>,
  ): AsyncGenerator<DurableTimerOf<Names, N>, void>
  /** Runs a failed timer again, at once, with all its retries. `attempt` counts on. Fulfilled with whether there was one with this id. */
  retry(id: string, options?: DurableCallOptions): Promise<boolean>
  /** Removes a timer by its id, even if it has failed. Fulfilled with whether there was one. Takes O(n) for n timers of the name. */
  clearId(name: keyof Names & string, id: string): Promise<boolean>
  /** Removes the pending timers of a name, or those whose keys begin with `prefix`. Fulfilled with their number. O(n) for n of the name. */
  clearMany(name: keyof Names & string, options?: { prefix?: string | undefined }): Promise<number>
  /** Counts the timers of a name, or all. Takes O(n) for n timers: in a file 0.1 s for a million without data, 2 s with 1 kB each. Other calls wait. */
  stats(options?: { name?: (keyof Names & string) | undefined }): Promise<DurableStats>
  /**
   * Lets `ms` milliseconds pass on the manual clock of the store, from 0. Each timer starts at its due time, and the call waits for handlers:
   * at most a second of real time for each, because a handler may wait for a later time, or for the test.
   *
   * @throws Error with code `ERR_WHEEL_DRIVER` if the store was opened without a manual clock, or if a handler calls it
   */
  advance(ms: number): Promise<void>
  /**
   * Closes the store. Timers that wait are given back, and handlers may end. After `timeout` milliseconds (default: 10,000), the signals of
   * those that still run are aborted, and their timers run again elsewhere. The last statements may take 5 s. A handler must not await the
   * call: both would wait for each other until `timeout`, and its timer would run again.
   */
  close(options?: { timeout?: number | undefined }): Promise<void>
}
