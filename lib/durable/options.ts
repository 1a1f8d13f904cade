/** The options of each method: what is accepted, and the defaults. */
import * as is from './checks.js'
import { failRange, failType, failValue, invalidOptions, show } from './common/errors.js'
import { FAILED } from './common/rows.js'
import { timeOfDay } from './common/time.js'
import type { ManualClockFunction, PostgresFunction } from './common/types.js'
import type { OnError } from './engine/background.js'
import { ManualClock } from './engine/clock.js'
import type { HandlerFunction } from './engine/handler.js'
import { nextRun } from './engine/rule.js'

const YEARS_100 = 100 * 366 * 24 * 3_600_000

type Checks = Record<string, is.Check<unknown>>
type Checked<S> = { [Name in keyof S]: S[Name] extends is.Check<infer T> ? T : never }

function checkEach<S extends Checks>(checks: S, values: object, prefix = ''): Checked<S> {
  const checked: Record<string, unknown> = {}
  for (const name in checks) checked[name] = checks[name]!(prefix + name, Reflect.get(values, name))
  return checked as Checked<S>
}

/** Checks an object of options, which has no others. It is called `options`, or as one row of many. */
const optionsOf =
  <S extends Checks>(checks: S): is.Check<Checked<S>> =>
  (name, options = {}) => {
    if (typeof options !== 'object' || options === null || Array.isArray(options))
      failType(name, 'an object', options)
    const prefix = name === 'options' ? '' : `${name}.`
    const other = Object.keys(options).find((key) => !Object.hasOwn(checks, key))
    if (other !== undefined)
      throw invalidOptions(`unknown option ${show(prefix + other)}, known: ${Object.keys(checks).join(', ')}`)
    return checkEach(checks, options, prefix)
  }

const printError: OnError = (error, { name, key, id, attempt }) => {
  const ofKey = key === undefined ? '' : ` with the key ${JSON.stringify(key)}`
  const which =
    name === undefined ? '' : ` attempt ${attempt} of ${JSON.stringify(name)}${ofKey}, id ${id}, has failed:`
  console.error(`timeout-wheel/durable:${which}`, error)
}

const checkClock: is.Check<ManualClock> = (name, clock) =>
  clock instanceof ManualClock ? clock : failType(name, 'what manualClock returns', clock)

const checkStart: is.Check<number> = (name, start) =>
  Number(start) < 0 ? failRange(name, 'a time from 1970 on', Number(start)) : is.time(name, start)

const openOptions = optionsOf({
  clock: is.or(checkClock, undefined),
  lease: is.or(is.whole(1_000, 60_000), 15_000),
  horizon: is.or(is.whole(100, 60_000), 5_000),
  retention: is.or(is.number(0, Infinity), 7 * 24 * 3_600_000),
  schema: is.or(is.identifier, undefined),
  table: is.or(is.identifier, 'timers'),
  onError: is.or(is.aFunction<OnError>(), printError),
})

const handlerOptions = optionsOf({
  concurrency: is.or(is.whole(1), 100),
  prefetch: is.or(is.whole(1), 10_000),
  timeout: is.or(is.number(1, Infinity), 15 * 60_000),
  // Within 8 to 17 minutes with the default backoff: a restart or a failover of what a handler calls takes minutes.
  retries: is.or(is.whole(0), 10),
  backoff: is.or(is.number(1, YEARS_100), 1_000),
  deaths: is.or(is.whole(1), 5),
})

const checkSet = optionsOf({
  key: is.or(is.name, null),
  delay: is.or(is.number(0, YEARS_100), undefined),
  at: is.or(is.time, undefined),
  data: is.data,
  ifExists: is.or(is.oneOf('replace', 'keep', 'throw', 'update'), 'replace' as const),
  every: is.or(is.whole(1, YEARS_100), undefined),
  cron: is.or(is.string, undefined),
  timeZone: is.or(is.timeZone, undefined),
  late: is.or(is.oneOf('run', 'once', 'skip'), undefined),
  grace: is.or(is.number(0, YEARS_100), undefined),
  retries: is.or(is.whole(0), undefined),
  db: is.or(is.transaction, undefined),
})

export type CheckedTimer = ReturnType<typeof checkTimer>

/** The options of `set`, and which of them go together. */
function checkTimer(name: string, options: unknown) {
  const checked = checkSet(name, options)
  const { key, delay, at, ifExists, every, cron, timeZone, late, grace, retries } = checked
  const repeats = every !== undefined || cron !== undefined
  const hasTime = delay !== undefined || at !== undefined
  const must = (isSo: boolean, what: string): void => {
    if (!isSo) throw invalidOptions(`${name} must ${what}`)
  }
  must(delay === undefined || at === undefined, 'not have both delay and at')
  must(every === undefined || cron === undefined, 'not have both every and cron')
  must(timeZone === undefined || cron !== undefined, 'have cron if they have timeZone')
  must(repeats || hasTime, 'have delay, at, every or cron')
  must(cron === undefined || !hasTime, 'not have delay or at if they have cron')
  must(!repeats || key !== null, 'have a key if the timer repeats')
  must(repeats || ifExists !== 'update', "have every or cron if ifExists is 'update'")
  must(key !== null || ifExists === 'replace', `have a key if ifExists is '${ifExists}'`)
  const hasRule = repeats || late !== undefined || grace !== undefined || retries !== undefined
  return { ...checked, rule: hasRule ? { every, cron, timeZone, late, grace, retries } : undefined }
}

/** The rows of `setMany`. */
const checkRows: is.Check<CheckedTimer[]> = (_name, rows) => {
  if (typeof (rows as Partial<Iterable<unknown>> | null)?.[Symbol.iterator] !== 'function')
    failType('rows', 'iterable', rows)
  const keys = new Set<string>()
  return Array.from(rows as Iterable<unknown>, (row, i) => {
    const checked = checkTimer(`rows[${i}]`, row)
    if (checked.db !== undefined)
      throw invalidOptions(`rows[${i}] must not have db: it is an option of setMany`)
    if (checked.key !== null && keys.size === keys.add(checked.key).size)
      failValue(`rows[${i}].key`, 'another one than those before', checked.key)
    return checked
  })
}

const calledWith = optionsOf({ db: is.or(is.transaction, undefined) })
const paused = { name: is.name, options: optionsOf({ everywhere: is.or(is.boolean, false) }) }
const listed = optionsOf({ name: is.or(is.name, undefined), before: is.or(is.time, FAILED) })

/** The arguments of each method and function, in their order. */
const ARGUMENTS = {
  postgres: { client: is.client },
  manualClock: { start: is.or(checkStart, undefined) },
  open: { store: is.store, options: openOptions },
  on: { name: is.name, handler: is.aFunction<HandlerFunction>(), options: handlerOptions },
  off: { name: is.name },
  pause: paused,
  resume: paused,
  set: { name: is.name, options: checkTimer },
  setMany: { name: is.name, rows: checkRows, options: calledWith },
  clear: { name: is.name, key: is.name, options: calledWith },
  get: { name: is.name, key: is.name, options: calledWith },
  list: { options: listed },
  failed: { options: listed },
  retry: { id: is.string, options: calledWith },
  clearId: { name: is.name, id: is.string },
  clearMany: { name: is.name, options: optionsOf({ prefix: is.or(is.string, '') }) },
  stats: { options: optionsOf({ name: is.or(is.name, undefined) }) },
  advance: { ms: is.number(0, Number.MAX_SAFE_INTEGER) },
  // At most the longest wait of a timer of the host.
  close: { options: optionsOf({ timeout: is.or(is.number(0, 2 ** 31 - 1), 10_000) }) },
}

export type Method = keyof typeof ARGUMENTS

/** Checks the arguments of a call. It refuses what follows those that it knows: that would have no effect. */
export function argumentsOf<M extends Method>(
  method: M,
  args: readonly unknown[],
): Checked<(typeof ARGUMENTS)[M]> {
  const checks: (typeof ARGUMENTS)[M] = ARGUMENTS[method]
  const names = Object.keys(checks)
  const i = args.findIndex((one, place) => place >= names.length && one !== undefined)
  if (i >= 0) failValue(`argument ${i + 1} of ${method}`, 'absent', args[i])
  return checkEach(checks, Object.fromEntries(names.map((name, place) => [name, args[place]])))
}

export const postgres: PostgresFunction = (...args: unknown[]) => argumentsOf('postgres', args)
export const manualClock: ManualClockFunction = (...args: unknown[]) =>
  new ManualClock(argumentsOf('manualClock', args).start ?? timeOfDay())

/** The first due time of a timer. @param name of its cron expression in errors @throws TypeError if the cron expression is none, or if the time zone is unknown */
export function firstDue({ rule, delay, at }: CheckedTimer, now: number, name: string): number {
  if (rule?.cron === undefined) return at ?? Math.ceil(now + (delay ?? rule!.every!))
  // The package takes a date for an expression.
  if (rule.cron.includes(':')) failValue(name, 'a cron expression, not a date', rule.cron)
  let next: number | null
  try {
    next = nextRun(rule, now)
  } catch (cause) {
    // Not an error of the package that reads the expression: it has no code.
    if ((cause as { code?: unknown }).code !== undefined) throw cause
    failValue(name, 'a cron expression', rule.cron, cause)
  }
  return next ?? failValue(name, 'a cron expression with a time that is still to come', rule.cron)
}
