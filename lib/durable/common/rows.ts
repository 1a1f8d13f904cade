/** What the engine and both dialects know of rows and leases: limits, positions, and parts of SQL, in which `@` stands for the table. */
import type { Change, Next, Position, Ref, Row } from './store.js'

/** The columns of a {@link Row}. */
export const COLUMNS = [
  ...(['id', 'name', 'key', 'at', 'due', 'data', 'rule', 'last', 'owner'] as const),
  ...(['starts', 'failures', 'deaths', 'watched', 'again', 'error'] as const),
] satisfies (keyof Row)[]

/** The columns that an end can change. */
export const NEXT = [
  ...(['id', 'at', 'due', 'last', 'owner'] as const),
  ...(['starts', 'failures', 'deaths', 'watched', 'error'] as const),
] satisfies (keyof Next)[]

/** What a run has before its first start. */
export const FRESH = { starts: 0, failures: 0, deaths: 0, watched: 0, again: null, error: null }

/** Due times of failed timers: this, plus the time of the failure. No claim looks that far. */
export const FAILED = 2 ** 52

/** What follows the schedule in the JSON of a rule. A regular expression of both dialects. */
export const SCHEDULE_END = ',"(late|grace|retries)".*|}$'

/** In SQL: the columns of a {@link Peer}, from the table of processes, the names of all rows, and the number of rows. */
export const PEER = `id AS owner, until, boot, space, pid, began`
export const NAMES = `WITH RECURSIVE found AS (
    SELECT min(name) AS name FROM @ UNION ALL
    SELECT (SELECT min(t.name) FROM @ AS t WHERE t.name > f.name) FROM found AS f WHERE f.name IS NOT NULL
  ) SELECT name FROM found WHERE name IS NOT NULL`
/** Of all rows at once: SQLite takes 0.1 s for a million without data, 2 s with 1 kB each. No timer is stored meanwhile. */
export const COUNT = `SELECT count(*) FILTER (WHERE due < ${FAILED}) AS pending, count(*) FILTER (WHERE due >= ${FAILED}) AS failed FROM @`

/**
 * In SQL: when a row is due after its run because it was set meanwhile; null: as the end says. `again` is above 0 if it was kept. If it was
 * updated, it is 0, or below 0 if that changed the due time. `next_id` and `next_due` are of what the row becomes, `began` is when it started.
 */
export const DUE_AGAIN = `CASE WHEN again > 0 THEN CASE WHEN coalesce(next_due, ${FAILED}) >= ${FAILED} AND marked >= began THEN again END
    WHEN again < 0 THEN CASE WHEN coalesce(next_due, ${FAILED}) >= ${FAILED} OR next_id <> id THEN -again END
    WHEN again = 0 AND next_id <> id THEN next_due END`

export const refOf = ({ name, due, id }: Ref): Ref => ({ name, due, id })

export const START: Position = [-1, '']
/** The position after all rows that are due at a time: no id begins with this character. */
export const after = (due: number): Position => [due, '~']

export const isBefore = (a: Position, b: Position): boolean => a[0] < b[0] || (a[0] === b[0] && a[1] < b[1])
export const earlier = (a: Position, b: Position): Position => (isBefore(a, b) ? a : b)

/**
 * Milliseconds. A lease that ends later than this from now was given before the clock was set back, and has ended. The longest lease that
 * may be asked for is half of it.
 */
export const LONGEST_LEASE = 120_000

/** A lease that ends then or later never ends. With time that a test moves, the one process has such a lease. */
export const FOREVER = 2 ** 51

/** How much further than its horizon a process hears of rows, in milliseconds, because a transaction of the engine takes time. */
export const MARGIN = 2_000

/** In SQL: whether a process lives, in the table of processes. */
export const lives = (now: string): string =>
  `alive AND until > ${now} AND (until <= ${now} + ${LONGEST_LEASE} OR until >= ${FOREVER})`

/**
 * In SQL: how a claim changes a row. A process that has ended may have started the run if the row was due before the end of its lease, and has
 * started it if the row was watched.
 */
export function takes(owner: string, now: string): string {
  const mayRun = `(watched = 2 OR watched = 0 AND owner <> 0 AND due <= ${now}
    AND due <= coalesce((SELECT until FROM @_process AS p WHERE p.id = owner), due))`
  return `owner = ${owner}, starts = starts + CASE WHEN ${mayRun} THEN 1 ELSE 0 END,
    deaths = deaths + CASE WHEN watched = 2 THEN 1 ELSE 0 END, watched = CASE WHEN ${mayRun} THEN 1 ELSE watched END`
}

/** In SQL: forgets processes whose leases have ended for a day. */
export const forget = (now: string): string =>
  `DELETE FROM @_process WHERE abs(until - ${now}) > ${24 * 3_600_000} AND until < ${FOREVER}`
/** About how many bytes a row takes without its data. */
export const ROW_BYTES = 500
/** Bytes of data of a portion, but for its last row. */
export const MOST_BYTES = 2 ** 22

export const clearing = (name: string, key: string): Change => ({
  ...{ id: '', name, key, due: 0, data: null, rule: null, owner: 0 },
  ifExists: 'clear',
})
