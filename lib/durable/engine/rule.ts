/** How a timer repeats, and what happens to due times that have passed. */
import { DurableError } from '../common/errors.js'
import type { Row } from '../common/store.js'
import { HostDate } from '../common/time.js'
import type { DurableTimerFields } from '../common/types.js'

export type Rule = Pick<DurableTimerFields, 'every' | 'cron' | 'timeZone' | 'late' | 'grace' | 'retries'>

/** The rule of a row. It is empty if a person has made it unreadable: the end of the run reports that. */
export function readRule(text: string | null): Rule {
  try {
    return JSON.parse(text ?? '{}')
  } catch {
    return {}
  }
}

const DEFAULT_GRACE = 1_000

let croner: typeof import('croner') | undefined
/** Why there is no package. */
let missing: unknown
/** Loads the package for cron expressions, if the program has it: before the first call, so that no call waits for it. */
export async function loadCroner(): Promise<void> {
  try {
    croner ??= await import('croner')
  } catch (error) {
    missing = error
  }
}

function cronOf(cron: string, timeZone = 'UTC'): import('croner').Cron {
  if (croner !== undefined) return new croner.Cron(cron, { timezone: timeZone, paused: true })
  const message = 'cron needs the package croner: npm install croner'
  throw new DurableError('ERR_DURABLE_UNSUPPORTED', message, missing)
}

/**
 * The first due time after a time; null if there is none.
 *
 * @param due that of the run before
 * @throws DurableError without the package; Error of the package for a bad expression or time zone
 */
export function nextRun({ every, cron, timeZone }: Rule, due: number, after = due): number | null {
  if (every !== undefined) return due + every * Math.max(1, Math.floor((after - due) / every) + 1)
  if (cron === undefined) return null
  return cronOf(cron, timeZone).nextRun(new HostDate(after))?.getTime() ?? null
}

/** The last due time up to a time. */
function lastRun({ every, cron, timeZone }: Rule, due: number, until: number): number {
  if (every !== undefined) return due + every * Math.floor((until - due) / every)
  if (cron === undefined) return due
  // The package rounds to seconds, in another way in each version.
  const [one, other = one] = cronOf(cron, timeZone).previousRuns(2, new HostDate(until + 1_000))
  const last = [one, other].find((time) => time !== undefined && time.getTime() <= until)
  return Math.max(due, last?.getTime() ?? due)
}

/** What a run that is late is replaced by: the due time of another; null: none; undefined: it runs. */
export function insteadOf(
  rule: Rule,
  { at: due, again }: Pick<Row, 'at' | 'again'>,
  now: number,
): number | null | undefined {
  const { late = 'once', grace = DEFAULT_GRACE } = rule
  if (late === 'run' || now - due <= grace) return undefined
  if (late === 'skip') return nextRun(rule, due, now - grace)
  // An update has set the next due time.
  if (again !== null && again < -now) return undefined
  const last = lastRun(rule, due, now)
  return last > due ? last : undefined
}
