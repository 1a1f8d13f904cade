/** How a timer repeats, and what happens to due times that have passed. */
import { DurableError, invalidValue } from '../common/errors.js'
import { HostDate } from '../common/time.js'

export interface Rule {
  every?: number | undefined
  cron?: string | undefined
  timeZone?: string | undefined
  late?: 'run' | 'once' | 'skip' | undefined
  grace?: number | undefined
  /** Instead of those of the handler. */
  retries?: number | undefined
}

/** The rule of a row. It is empty if a person has made it unreadable: the end of the run reports that. */
export function readRule(text: string | null): Rule {
  try {
    return JSON.parse(text ?? '{}')
  } catch {
    return {}
  }
}

const DEFAULT_GRACE = 1_000

type NextRun = (after: number) => number | undefined

let croner: typeof import('croner') | undefined
/** Why there is no package. */
let missing: unknown
/** Expressions that have been read. */
const crons = new Map<string, NextRun>()
const MOST_CRONS = 1_000

/** The package takes an empty name for the time zone of the system. */
function checkTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw invalidValue('timeZone', "the name of a time zone, such as 'Europe/Berlin'", timeZone)
  }
}

/** Loads the package for cron expressions, if the program has it: before the first call, so that no call waits for it. */
export async function loadCroner(): Promise<void> {
  try {
    croner ??= await import('croner')
  } catch (error) {
    missing = error
  }
}

/** @throws DurableError without the package; Error of the package for a bad expression or time zone */
export function prepareCron(cron: string, timeZone = 'UTC'): NextRun {
  const key = `${timeZone} ${cron}`
  const known = crons.get(key)
  if (known !== undefined) return known
  if (croner === undefined) {
    const message = 'cron needs the package croner: npm install croner'
    throw new DurableError('ERR_DURABLE_UNSUPPORTED', message, missing)
  }
  checkTimeZone(timeZone)
  const job = new croner.Cron(cron, { timezone: timeZone, paused: true })
  const nextRun: NextRun = (after) => job.nextRun(new HostDate(after))?.getTime()
  // The oldest goes.
  if (crons.size >= MOST_CRONS) crons.delete(crons.keys().next().value!)
  crons.set(key, nextRun)
  return nextRun
}

/** The first due time after `after`; undefined if there is none. */
export function nextRun(rule: Rule, due: number, after: number): number | undefined {
  if (rule.every !== undefined)
    return due + rule.every * Math.max(1, Math.floor((after - due) / rule.every) + 1)
  return rule.cron === undefined ? undefined : prepareCron(rule.cron, rule.timeZone)(after)
}

export const repeats = (rule: Rule): boolean => rule.every !== undefined || rule.cron !== undefined

/** Whether a run is left out. @param now the time of the start */
export function isLeftOut(rule: Rule, due: number, now: number): boolean {
  const late = rule.late ?? (repeats(rule) ? 'once' : 'run')
  if (late === 'run' || now - due <= (rule.grace ?? DEFAULT_GRACE)) return false
  if (late === 'skip') return true
  // The last of those that have passed runs.
  const next = nextRun(rule, due, due)
  return next !== undefined && next <= now
}

/** The due time after a run that was due at `due`, or that was left out at `now`. */
export function afterRun(rule: Rule, due: number, now: number, wasLeftOut: boolean): number | undefined {
  if (!repeats(rule)) return undefined
  if (!wasLeftOut || rule.late === 'skip')
    return nextRun(rule, due, wasLeftOut ? now - (rule.grace ?? DEFAULT_GRACE) : due)
  return rule.every === undefined
    ? lastCron(rule, due, now)
    : due + rule.every * Math.floor((now - due) / rule.every)
}

/** The last time of a cron expression up to `now`. It looks back further each time, because the package only looks forward. */
function lastCron(rule: Rule, due: number, now: number): number {
  let last = due
  for (let from = now; ; from = now - (now - from + 1_000) * 2) {
    const next = nextRun(rule, due, Math.max(from, due))
    if (next !== undefined && next <= now) last = next
    if (last !== due || from <= due) break
  }
  for (
    let next = nextRun(rule, due, last);
    next !== undefined && next <= now;
    next = nextRun(rule, due, last)
  )
    last = next
  return last
}
