/** Checks of arguments, before anything changes. The errors name the value and what is accepted. */

import { resolve } from 'node:path'
import { invalidOptions, invalidType, invalidValue, outOfRange } from './common/errors.js'
import { FAILED, FOREVER } from './common/store.js'
import { HostDate, timeOfDay } from './common/time.js'
import type {
  DurableHandlerOptions,
  DurableOptions,
  DurableTimerFields,
  PostgresClient,
} from './common/types.js'
import type { OnError } from './engine/background.js'
import { ManualClock } from './engine/clock.js'
import type { EngineOptions } from './engine/engine.js'
import type { HandlerOptions } from './engine/handler.js'
import { prepareCron, type Rule } from './engine/rule.js'
import { isPool } from './postgres/ask.js'

const YEARS_100 = 100 * 366 * 24 * 3_600_000
const LONGEST_NAME = 512
const MOST_DATA = 2 ** 20
/** In the year 73,327. Later times would look like those of failed timers: see store.ts. */
const LAST_DATE = 2 ** 51
const WEEK = 7 * 24 * 3_600_000

function failType(name: string, what: string, value: unknown): never {
  throw invalidType(name, what, value)
}

function failValue(name: string, what: string, value: unknown, cause?: unknown): never {
  throw invalidValue(name, what, value, cause)
}

export function checkNumber(
  name: string,
  value: unknown,
  least: number,
  most: number,
  isWhole = false,
): number {
  if (typeof value !== 'number') failType(name, 'a number', value)
  const number = value as number
  if (!(number >= least && number <= most) || (isWhole && !Number.isInteger(number) && number !== most))
    throw outOfRange(name, `${isWhole ? 'a whole number' : 'a number'} from ${least} to ${most}`, value)
  return number
}

function checkOptions(value: unknown, names: readonly string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    failType('options', 'an object', value)
  for (const key of Object.keys(value as object)) {
    if (!names.includes(key)) failValue('every option', `one of ${names.join(', ')}`, key)
  }
  return value as Record<string, unknown>
}

/** Refuses what follows the arguments that a method knows: it would have no effect. */
export function checkRest(method: string, known: number, rest: readonly unknown[]): void {
  const i = rest.findIndex((one) => one !== undefined)
  if (i >= 0) failValue(`argument ${known + i + 1} of ${method}`, 'absent', rest[i])
}

/** The name of a timer, or its key. */
export function checkName(what: string, name: unknown): string {
  if (typeof name !== 'string') failType(what, 'a string', name)
  const text = name as string
  const bytes = Buffer.byteLength(text)
  if (bytes < 1 || bytes > LONGEST_NAME) failValue(what, `1 to ${LONGEST_NAME} bytes long`, text)
  // Databases cannot store them.
  if (text.includes('\0')) failValue(what, 'a text without zero characters', text)
  if (/\p{Surrogate}/u.test(text)) failValue(what, 'a text without lone surrogates', text)
  return text
}

function oneOf<T extends string>(name: string, value: unknown, values: readonly T[]): T | undefined {
  if (value === undefined) return undefined
  if (!values.includes(value as T))
    failValue(name, `one of ${values.map((one) => `'${one}'`).join(', ')}`, value)
  return value as T
}

function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') failType(name, 'a function', value)
}

function checkIdentifier(name: string, value: unknown): void {
  if (typeof value !== 'string') failType(name, 'a string', value)
  if (!/^[a-z][a-z0-9_]{0,40}$/i.test(value as string))
    failValue(name, 'a letter, then up to 40 letters, digits and _', value)
}

const OPEN = ['clock', 'lease', 'horizon', 'retention', 'schema', 'table', 'unref', 'onError']

const printError: OnError = (error, { name, key, id, attempt }) => {
  const ofKey = key === undefined ? '' : ` with the key ${JSON.stringify(key)}`
  const which =
    name === undefined ? '' : ` attempt ${attempt} of ${JSON.stringify(name)}${ofKey}, id ${id}, has failed:`
  console.error(`timeout-wheel/durable:${which}`, error)
}

interface CheckedOpen extends EngineOptions {
  manual: ManualClock | undefined
  schema: string
  table: string
  unref: boolean
}

function checkClock(clock: unknown): ManualClock | undefined {
  if (clock instanceof ManualClock) return clock
  if (clock === 'manual') return new ManualClock(timeOfDay())
  if (clock !== undefined && clock !== 'system')
    failValue('clock', "one of 'system', 'manual' and manualClock(date)", clock)
  return undefined
}

export function checkOpen(options: unknown = {}): CheckedOpen {
  const given = checkOptions(options, OPEN) as DurableOptions
  const manual = checkClock(given.clock)
  const lease = checkNumber('lease', given.lease ?? 15_000, 1_000, 60_000, true)
  const horizon = checkNumber('horizon', given.horizon ?? 5_000, 100, 60_000, true)
  const retention = checkNumber('retention', given.retention ?? WEEK, 0, Infinity)
  const { schema = 'timeout_wheel', table = 'timers', unref = false, onError } = given
  checkIdentifier('schema', schema)
  checkIdentifier('table', table)
  if (typeof unref !== 'boolean') failType('unref', 'a boolean', unref)
  if (onError !== undefined) checkFunction('onError', onError)
  return {
    ...{ manual, horizon, retention, unref },
    // No database has two tables whose names differ in that alone.
    schema: schema.toLowerCase(),
    table: table.toLowerCase(),
    // With time that a test moves, there is one process, and it has its lease for ever.
    lease: manual ? FOREVER : lease,
    // There, what follows from the rows is enough.
    pause: manual ? Infinity : horizon / 2,
    onError: onError ?? printError,
  }
}

export function checkStore(store: unknown): string {
  if (typeof store !== 'string') failType('store', "a path, ':memory:' or postgres(client)", store)
  const path = store as string
  if (path === '' || path.includes('\0')) failValue('store', "a path or ':memory:'", path)
  // SQLite would take it for a URI.
  if (/^(file|postgres|postgresql):/.test(path))
    failValue('store', 'a path or postgres(client), not a URL', path)
  // The program may go to another folder while the store is open.
  return path === ':memory:' ? path : resolve(path)
}

export function checkHandler(handler: unknown, options: unknown = {}): HandlerOptions {
  checkFunction('handler', handler)
  const given = checkOptions(options, [
    'concurrency',
    'prefetch',
    'timeout',
    'retries',
    'backoff',
    'deaths',
  ]) as DurableHandlerOptions
  const {
    concurrency = 100,
    prefetch = 10_000,
    timeout = 15 * 60_000,
    retries = 5,
    backoff = 1_000,
    deaths = 5,
  } = given
  if (timeout !== Infinity) checkNumber('timeout', timeout, 1, 2 ** 31 - 1)
  return {
    concurrency: checkNumber('concurrency', concurrency, 1, 1_000_000, true),
    prefetch: checkNumber('prefetch', prefetch, 1, 1_000_000, true),
    timeout,
    deaths: checkNumber('deaths', deaths, 1, 1_000_000, true),
    retries: checkNumber('retries', retries, 0, 1_000_000, true),
    backoff: checkNumber('backoff', backoff, 1, YEARS_100),
  }
}

function dataOf(data: unknown): string | null {
  if (data === undefined) return null
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch (cause) {
    failValue('data', 'a value that JSON.stringify can write', data, cause)
  }
  const [path, part] = findChanged(data) ?? []
  if (path !== undefined) failType(`data${path}`, KEPT, part)
  if (Buffer.byteLength(text!) > MOST_DATA) failValue('data', `at most ${MOST_DATA} bytes of JSON`, text)
  return text!
}

const KEPT = 'null, a boolean, a finite number, a string, an array or a plain object, which JSON keeps'

/** The first part of a value that JSON changes, and its path. Properties that are undefined are left out, and -0 is 0: both read the same. */
function findChanged(value: unknown): [path: string, part: unknown] | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number' && Number.isFinite(value)) return undefined
  if (typeof value !== 'object') return ['', value]
  const isArray = Array.isArray(value)
  const prototype = Object.getPrototypeOf(value)
  // The prototype of plain objects, of this realm or another, has none itself.
  if (!isArray && prototype !== null && Object.getPrototypeOf(prototype) !== null) return ['', value]
  for (const [key, part] of isArray ? value.entries() : Object.entries(value)) {
    const found = !isArray && part === undefined ? undefined : findChanged(part)
    if (found !== undefined) return [isArray ? `[${key}]${found[0]}` : `.${key}${found[0]}`, found[1]]
  }
  return undefined
}

export function timeOf(name: string, at: unknown): number {
  const time = at instanceof HostDate ? at.getTime() : at
  if (typeof time !== 'number') failType(name, 'a Date or a number', at)
  if (Number.isNaN(time) || Math.abs(time as number) > LAST_DATE)
    throw outOfRange(
      name,
      'a valid time, at most 2^51 ms after 1970',
      at instanceof HostDate ? Number.NaN : at,
    )
  // Never early: the milliseconds are rounded up.
  return Math.max(0, Math.ceil(time as number))
}

const SET = [
  'key',
  'delay',
  'at',
  'data',
  'ifExists',
  'every',
  'cron',
  'timeZone',
  'late',
  'grace',
  'retries',
  'db',
]

/** The options of `list`. */
export function checkList(
  options: unknown = {},
  names = ['name', 'before'],
): { name: string | undefined; before: number } {
  const { name, before } = checkOptions(options, names)
  return {
    name: name === undefined ? undefined : checkName('name', name),
    before: before === undefined ? FAILED : timeOf('before', before),
  }
}

/** The option of `pause` and `resume`. */
export function checkPause(options: unknown = {}): boolean {
  const { everywhere = false } = checkOptions(options, ['everywhere'])
  if (typeof everywhere !== 'boolean') failType('everywhere', 'a boolean', everywhere)
  return everywhere as boolean
}

/** The option of `clearMany`. */
export function checkPrefix(options: unknown = {}): string {
  const { prefix = '' } = checkOptions(options, ['prefix'])
  if (typeof prefix !== 'string') failType('prefix', 'a string', prefix)
  return prefix as string
}

/** The option of `close`. */
export function checkClose(options: unknown = {}): number {
  const { timeout = 10_000 } = checkOptions(options, ['timeout'])
  return checkNumber('timeout', timeout, 0, 2 ** 31 - 1)
}

/** Something with a method `query`. */
export function checkClient(name: string, client: unknown): PostgresClient {
  if (typeof (client as Partial<PostgresClient> | null)?.query !== 'function')
    failType(name, 'an object with a method query', client)
  return client as PostgresClient
}

function checkTransaction(db: unknown): PostgresClient {
  const client = checkClient('db', db)
  // The pool takes any connection.
  if (isPool(client)) failValue('db', 'a connection on which a transaction has begun, not a pool', db)
  return client
}

/** The options of a call that can be part of a transaction of the program. */
export function checkDb(options: unknown = {}): PostgresClient | undefined {
  const { db } = checkOptions(options, ['db'])
  return db === undefined ? undefined : checkTransaction(db)
}

/** The id of a timer. */
export function checkId(id: unknown): void {
  if (typeof id !== 'string') failType('id', 'a string', id)
}

/** The rows of `setMany`. */
export function checkRows(rows: Iterable<unknown>): CheckedTimer[] {
  if (typeof rows?.[Symbol.iterator] !== 'function') failType('rows', 'iterable', rows)
  const keys = new Set<string>()
  return Array.from(rows, (row) => {
    const checked = checkTimer(row)
    if (checked.db !== undefined)
      throw invalidOptions('of a row must not have db: it is an option of setMany')
    if (checked.key !== null && keys.size === keys.add(checked.key).size)
      failValue('the key of each row', 'another one', checked.key)
    return checked
  })
}

export interface CheckedTimer {
  db: PostgresClient | undefined
  key: string | null
  data: string | null
  ifExists: 'replace' | 'keep' | 'throw' | 'update'
  rule: Rule | undefined
  /** Milliseconds from now. */
  delay: number | undefined
  /** Milliseconds since 1970. */
  at: number | undefined
}

export function checkTimer(options: unknown): CheckedTimer {
  const given = checkOptions(options, SET) as DurableTimerFields
  const { delay, at, every, cron, timeZone, grace } = given
  const key = given.key === undefined ? null : checkName('key', given.key)
  if (delay !== undefined) checkNumber('delay', delay, 0, YEARS_100)
  const time = at === undefined ? undefined : timeOf('at', at)
  if (delay !== undefined && at !== undefined) throw invalidOptions('must not have both delay and at')
  if (every !== undefined) checkNumber('every', every, 1, YEARS_100, true)
  if (cron !== undefined && typeof cron !== 'string') failType('cron', 'a string', cron)
  if (timeZone !== undefined && typeof timeZone !== 'string') failType('timeZone', 'a string', timeZone)
  if (every !== undefined && cron !== undefined) throw invalidOptions('must not have both every and cron')
  if (timeZone !== undefined && cron === undefined)
    throw invalidOptions('must have cron if they have timeZone')
  const repeats = every !== undefined || cron !== undefined
  if (!repeats && delay === undefined && at === undefined)
    throw invalidOptions('must have delay, at, every or cron')
  if (cron !== undefined && (delay !== undefined || at !== undefined))
    throw invalidOptions('must not have delay or at if they have cron')
  if (repeats && key === null) throw invalidOptions('must have a key if the timer repeats')
  const ifExists = oneOf('ifExists', given.ifExists, ['replace', 'keep', 'throw', 'update']) ?? 'replace'
  if (ifExists === 'update' && !repeats)
    throw invalidOptions("must have every or cron if ifExists is 'update'")
  const late = oneOf('late', given.late, ['run', 'once', 'skip'])
  if (grace !== undefined) checkNumber('grace', grace, 0, YEARS_100)
  const { retries } = given
  if (retries !== undefined) checkNumber('retries', retries, 0, 1_000_000, true)
  const hasRule = repeats || late !== undefined || grace !== undefined || retries !== undefined
  // No spread: objects that are made by one take more memory.
  return {
    key,
    delay,
    at: time,
    data: dataOf(given.data),
    db: given.db === undefined ? undefined : checkTransaction(given.db),
    ifExists,
    rule: hasRule ? { every, cron, timeZone, late, grace, retries } : undefined,
  }
}

/** The first due time of a timer. @throws TypeError if the cron expression is none */
export function firstDue({ rule, delay, at }: CheckedTimer, now: number): number {
  if (rule?.cron !== undefined) return firstCron(rule.cron, rule.timeZone, now)
  return at ?? Math.ceil(now + (delay ?? rule!.every!))
}

/** The first time of a cron expression. @throws TypeError if it is none, or if the time zone is unknown */
function firstCron(cron: string, timeZone: string | undefined, now: number): number {
  let next: number | undefined
  try {
    next = prepareCron(cron, timeZone)(now)
  } catch (cause) {
    // Not an error of the package that reads the expression: it has no code.
    if ((cause as { code?: unknown }).code !== undefined) throw cause
    failValue('cron', 'a cron expression', cron, cause)
  }
  return next ?? failValue('cron', 'a cron expression with a time that is still to come', cron)
}
