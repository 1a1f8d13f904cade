/** The types of `timeout-wheel/durable`. */
import type { TimerOptions } from 'timeout-wheel'

// The same as TypeScript's `esnext.disposable`, for programs that are compiled without it.
declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol
  }
}

/** What sends queries: a pool or a client of `pg`, PGlite, or an object around another driver. */
export interface PostgresClient {
  /** Resolves to the rows, or to an object with `rows`. Statements for many calls, or in the background, have no async context. */
  query(text: string, params: unknown[]): Promise<unknown>
}

/** A PostgreSQL database as a store: what `postgres(client)` returns. */
export interface PostgresDatabase {
  readonly client: PostgresClient
}

export interface PostgresFunction {
  /**
   * A PostgreSQL database as a store of durable timers, which processes on several machines can share.
   *
   * @throws TypeError if `client` has no method `query`
   */
  (client: PostgresClient): PostgresDatabase
}

/** Time that passes only in {@link DurableTimers.advance}: what `manualClock(date)` returns. */
export interface ManualClock {
  /** Milliseconds since 1970. */
  now(): number
}

export interface ManualClockFunction {
  /**
   * Makes time for the option `clock` of one store. It passes only in {@link DurableTimers.advance}.
   *
   * @param start when it begins, or the milliseconds of that since 1970; default: now
   * @throws TypeError or RangeError if `start` is no time
   */
  (start?: Date | number): ManualClock
}

/** Options of `DurableTimers.open`. */
export interface DurableOptions {
  /**
   * For tests: `manualClock(date)` is time that begins then and passes only in {@link DurableTimers.advance}. `'manual'` is the same from
   * now. The store must be used by no other process. Default: `'system'`, the clock of the machine on which the store is.
   */
  clock?: 'system' | 'manual' | ManualClock | undefined
  /**
   * How long the timers that a process holds stay its own after its last sign of life: a whole number from 1,000 to 60,000. Signs of
   * life come at each third of it. The timers of a process that has died run in another one after this time at most.
   * Default: 15,000.
   */
  lease?: number | undefined
  /** How far ahead of their due times timers are claimed: a whole number from 100 to 60,000. Default: 5,000. */
  horizon?: number | undefined
  /**
   * How long a timer that has failed for good is kept for {@link DurableTimers.failed}: a number from 0, or `Infinity`. Default: a
   * week.
   */
  retention?: number | undefined
  /** With PostgreSQL: the schema of the tables, with the same characters as `table`. Default: `'timeout_wheel'`. */
  schema?: string | undefined
  /**
   * The table, and the first part of the names of the other tables: a letter, then up to 40 letters, digits and `_`. Capital letters are
   * the same as small ones. Default: `'timers'`.
   */
  table?: string | undefined
  /** Whether the open store lets the process end. Default: false. */
  unref?: boolean | undefined
  /**
   * Called without an async context, with each error in the background: of a handler, of a statement that is tried again, of a lapsed
   * lease. What it throws is an uncaught exception. Default: prints the error, its timer and its stack by `console.error`.
   */
  onError?: ((error: Error, source: DurableErrorSource) => void) | undefined
}

/** The timer whose attempt has failed. All fields are undefined if the error is not that of an attempt. */
export interface DurableErrorSource {
  readonly name?: string | undefined
  readonly key?: string | undefined
  readonly id?: string | undefined
  readonly attempt?: number | undefined
}

/** What a handler gets. Its methods need it as `this`. A copy lacks them, and `signal`. */
export interface DurableRun<T = unknown> {
  /** The name of the timer. */
  readonly name: string
  /** The key of the timer; undefined if it was set without one. */
  readonly key: string | undefined
  /** The data of the timer; undefined if it was set without. */
  readonly data: T
  /** When the run was due, the same in each attempt. It never runs earlier. */
  readonly due: Date
  /**
   * How often the timer may have been started, this time included: 1, plus the starts that failed or were aborted, plus the deaths of
   * processes that may have started it.
   */
  readonly attempt: number
  /** The id of this run, unique over all stores. It stays the same in each attempt; the next run of a repeating timer has another. */
  readonly id: string
  /**
   * Aborted while the handler runs, if the timer is replaced or cleared by others than the handler itself, if the handler takes longer than `timeout`, if the lease is lost,
   * and at the end of `close`.
   */
  readonly signal: NonNullable<TimerOptions['signal']>
  /**
   * The timer is due again some milliseconds after the handler ends. If the handler succeeds, that is no failure. If it fails, this is the
   * wait before the retry. From 0 to 100 years.
   */
  retryIn(ms: number): void
  /** The timer has failed with this reason when the handler ends, and is not tried again. */
  fail(reason: unknown): void
}

/** The message of the channel `timeout-wheel:durable` of `node:diagnostics_channel`: an attempt has ended. */
export interface DurableAttemptMessage {
  name: string
  key: string | undefined
  id: string
  /** As in {@link DurableRun}. */
  attempt: number
  /** Milliseconds from the due time to the start. */
  lateness: number
  /** Milliseconds from the start to the end, or to the `timeout`. */
  duration: number
  /** Undefined if the handler has succeeded. */
  error: Error | undefined
}

/** Runs a timer, without an async context. A promise that is rejected, or an error, means that the timer is tried again. */
export type DurableHandler<T = unknown> = (run: DurableRun<T>) => unknown

/** Options of {@link DurableTimers.on}. */
export interface DurableHandlerOptions {
  /** How many timers of the name run at once in this process: a whole number from 1. Default: 100. */
  concurrency?: number | undefined
  /** How many timers of the name this process holds before they start: a whole number from 1. Default: 10,000. */
  prefetch?: number | undefined
  /**
   * After how many milliseconds an attempt has failed, also if the handler succeeds later: from 1 to 2^31 - 1, or `Infinity`. Default:
   * 900,000, which is 15 minutes.
   */
  timeout?: number | undefined
  /** How often a timer is tried again after failures: a whole number from 0. Then it is kept as failed. Default: 5. */
  retries?: number | undefined
  /**
   * The milliseconds before the first retry: from 1. They double with each retry, up to an hour, and a random part of up to a half
   * is taken away. Default: 1,000.
   */
  backoff?: number | undefined
  /** How many processes may end while the handler of one timer runs: a whole number from 1. Then the timer has failed. Default: 5. */
  deaths?: number | undefined
}

/** Data can be left out if its type allows `undefined`. */
type WithData<Data> = undefined extends Data ? { data?: Data | undefined } : { data: Data }

/** The combinations of options that set the due time. */
type Schedule =
  | { delay: number; at?: undefined; every?: undefined; cron?: undefined; timeZone?: undefined }
  | { at: Date | number; delay?: undefined; every?: undefined; cron?: undefined; timeZone?: undefined }
  | {
      every: number
      key: string
      delay?: number | undefined
      at?: undefined
      cron?: undefined
      timeZone?: undefined
    }
  | {
      every: number
      key: string
      at: Date | number
      delay?: undefined
      cron?: undefined
      timeZone?: undefined
    }
  | { cron: string; key: string; delay?: undefined; at?: undefined; every?: undefined }

/**
 * What {@link DurableTimers.set} takes. Exactly one of `delay`, `at`, `every` and `cron` sets the due time. With `every`, `delay` or `at`
 * sets the first one.
 */
export type DurableTimerOptions<Data = unknown> = DurableTimerFields & WithData<Data> & Schedule

/** The fields of {@link DurableTimerOptions}. */
export interface DurableTimerFields {
  /** The name of one timer among those of its name: 1 to 512 bytes of UTF-8. Without it, the timer cannot be replaced or cleared. */
  key?: string | undefined
  /** Milliseconds from now: from 0 to 100 years. */
  delay?: number | undefined
  /** The due time, or its milliseconds since 1970. In the past: at once. */
  at?: Date | number | undefined
  /**
   * For the handler: null, booleans, finite numbers, strings, arrays and plain objects, at most 1 MB as JSON. What JSON would change is
   * refused, such as a Date, a Map, NaN and undefined in an array. A property that is undefined is left out, and -0 becomes 0.
   * Default: undefined.
   */
  data?: unknown
  /**
   * With PostgreSQL: makes the call part of a transaction of the program, which has begun on this client. Others see what it has changed
   * once the program commits.
   */
  db?: PostgresClient | undefined
  /**
   * What happens if the name has a timer with the key. Default: `'replace'`.
   *
   * - `'replace'`: the new timer takes its place.
   * - `'keep'`: it stays as it is. If its handler may be running, it is due again after that, as if it were set then.
   * - `'throw'`: the call is refused.
   * - `'update'`: with `every` or `cron`. It gets the new data and rule, and keeps its next due time if the rule is the same. A run that is
   *   due already runs before.
   */
  ifExists?: 'replace' | 'keep' | 'throw' | 'update' | undefined
  /** Runs the timer again and again: milliseconds from one due time to the next, from 1. The key is required. */
  every?: number | undefined
  /** Runs the timer again and again, at the times of a cron expression. Needs the package `croner`, 11 or later. The key is required. */
  cron?: string | undefined
  /** The time zone of `cron`, such as `'Europe/Berlin'`. Default: `'UTC'`. */
  timeZone?: string | undefined
  /**
   * What happens to due times that have passed by more than `grace`, because no process ran.
   *
   * - `'run'`: each runs. Default without `every` and `cron`.
   * - `'once'`: the last of them runs. Default with `every` and `cron`.
   * - `'skip'`: none runs.
   */
  late?: 'run' | 'once' | 'skip' | undefined
  /** See `late`. Milliseconds from 0. Default: 1,000. */
  grace?: number | undefined
  /** As in {@link DurableHandlerOptions}, for this timer. Default: those of the handler. */
  retries?: number | undefined
}

/** Options of {@link DurableTimers.setMany}, {@link DurableTimers.clear}, {@link DurableTimers.get} and {@link DurableTimers.retry}. */
export interface DurableCallOptions {
  /** As in {@link DurableTimerOptions}. */
  db?: PostgresClient | undefined
}

/** A timer in the store. */
export interface DurableTimer<T = unknown> {
  readonly id: string
  readonly name: string
  readonly key: string | undefined
  readonly data: T
  /** When it is due next. Of a failed timer, when it has failed. */
  readonly due: Date
  /** How often it may have been started: the `attempt` of its last start, or 0. */
  readonly attempt: number
  /** The message of its last failure. */
  readonly error: string | undefined
  /** How it repeats. */
  readonly every: number | undefined
  readonly cron: string | undefined
  readonly timeZone: string | undefined
  /** Of a timer that repeats: when its last run was due. */
  readonly last: Date | undefined
}

/** Which timers {@link DurableTimers.list} and {@link DurableTimers.failed} give. Default: all. */
export interface DurableListOptions<Name extends string = string> {
  /** Of this name only. */
  name?: Name | undefined
  /** Due, or failed, before this time only. */
  before?: Date | number | undefined
}

/** Options of {@link DurableTimers.pause} and {@link DurableTimers.resume}. */
export interface DurablePauseOptions {
  /** Whether in all processes, also in those that open the store later. Default: false. */
  everywhere?: boolean | undefined
}

/** Options of {@link DurableTimers.clearMany}. */
export interface DurableClearOptions {
  /** With which the keys begin. Default: `''`, all timers, those without keys too. */
  prefix?: string | undefined
}

/** What {@link DurableTimers.stats} counts. */
export interface DurableStats {
  /** Timers in the store that have neither run nor failed for good. */
  pending: number
  /** Timers that have failed for good. */
  failed: number
  /** Timers that this process has claimed and not started. */
  held: number
  /** Handlers of this process that run. */
  running: number
  /** Since the store was opened, in this process: attempts that succeeded, and that failed. */
  ran: number
  failures: number
  /** Claims of this process. */
  claims: number
  /** Milliseconds from the due time to the start, of the last 1,000 starts. */
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
   * Runs the timers of a name in this process. Each runs at least once, never before it is due. Timers of names without a handler wait.
   *
   * @throws `DurableError` with the code `ERR_DURABLE_HANDLER` if the name has a handler
   */
  on<N extends keyof Names & string>(
    name: N,
    handler: DurableHandler<Names[N]>,
    options?: DurableHandlerOptions,
  ): void
  /**
   * Ends the work of the handler of a name: gives back what it holds, and lets what it runs end. The name can get another one. Returns
   * whether it had one.
   */
  off(name: keyof Names & string): boolean
  /**
   * Starts no more timers of a name in this process, or in all. Those that run go on. Fulfilled when this process has given back what it
   * holds.
   */
  pause(name: keyof Names & string, options?: DurablePauseOptions): Promise<void>
  /** Ends the pause of a name in this process, or that in all. */
  resume(name: keyof Names & string, options?: DurablePauseOptions): Promise<void>
  /**
   * Stores a timer. Fulfilled when a crash or a loss of power can no longer lose it. A timer with the same name and key is replaced.
   *
   * @throws `DurableError`: if its code is `ERR_DURABLE_DOUBT`, the timer may have been stored, else it was not
   */
  set<N extends keyof Names & string>(
    name: N,
    options: DurableTimerOptions<Names[N]>,
  ): Promise<DurableTimer<Names[N]>>
  /**
   * Stores timers with different keys: all or none, if there are at most 2,000 with 4 MB of data. More are stored in parts, in their order.
   * If one part is refused, the property `stored` of the error has the number of those that are stored all the same. The result has the
   * order of `rows`.
   */
  setMany<N extends keyof Names & string>(
    name: N,
    rows: Iterable<DurableTimerOptions<Names[N]>>,
    options?: DurableCallOptions,
  ): Promise<DurableTimer<Names[N]>[]>
  /** Removes a timer. If its handler runs, the signal is aborted. Fulfilled with whether there was one. */
  clear(name: keyof Names & string, key: string, options?: DurableCallOptions): Promise<boolean>
  /** Reads a pending timer; undefined if there is none. */
  get<N extends keyof Names & string>(
    name: N,
    key: string,
    options?: DurableCallOptions,
  ): Promise<DurableTimer<Names[N]> | undefined>
  /** The pending timers in the order of their due times, read in portions. */
  list<N extends keyof Names & string>(
    options?: DurableListOptions<N>,
  ): AsyncGenerator<DurableTimer<Names[N]>, void>
  /** The timers that have failed for good, in the order of their failures, read in portions. */
  failed<N extends keyof Names & string>(
    options?: DurableListOptions<N>,
  ): AsyncGenerator<DurableTimer<Names[N]>, void>
  /** Runs a failed timer again, at once. Fulfilled with whether there was one with this id. */
  retry(id: string, options?: DurableCallOptions): Promise<boolean>
  /** Removes a timer by its id, also one that has failed. Fulfilled with whether there was one. O(n) of the name. */
  clearId(name: keyof Names & string, id: string): Promise<boolean>
  /** Removes pending timers of a name, in portions. Fulfilled with their number. O(n) of the name. */
  clearMany(name: keyof Names & string, options?: DurableClearOptions): Promise<number>
  /** Counts timers, of a name or all. O(n), in portions. */
  stats(options?: { name?: (keyof Names & string) | undefined }): Promise<DurableStats>
  /**
   * Moves the time of a store that was opened with a manual clock. Starts what is due, each at its time. Before time moves on and at the
   * end, it waits for the handlers that run, but at most a second for each: one that then still runs may be waiting for a later time, such
   * as its `timeout`, or for the test.
   */
  advance(ms: number): Promise<void>
  /**
   * Starts no more timers, waits for the handlers that run, gives back what is held, and closes the store. After `timeout` milliseconds
   * (default: 10,000) it aborts the signals of the handlers: their timers run again elsewhere. Then it waits for the last statements, 5 s
   * at most. A handler must not await it: both would wait for each other until `timeout`, and the timer of the handler would run again.
   */
  close(options?: { timeout?: number | undefined }): Promise<void>
  /** The same as `close`. */
  [Symbol.asyncDispose](): Promise<void>
}
