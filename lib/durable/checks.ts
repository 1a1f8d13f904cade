/** Checks of arguments, before anything changes. The errors name the value and what is accepted. */
import { resolve } from 'node:path'
import { failRange, failType, failValue } from './common/errors.js'
import { HostDate } from './common/time.js'
import type { PostgresClient } from './common/types.js'
import { isPool } from './postgres/ask.js'

/** Returns the value, perhaps in another form. @throws TypeError or RangeError */
export type Check<T> = (name: string, value: unknown) => T

const LONGEST_NAME = 512
/** In the year 73,327. Later times would look like those of failed timers: see rows.ts. */
const LAST_DATE = 2 ** 51

const MOST_DATA = 2 ** 20
const KEPT = 'null, a boolean, a finite number, a string, an array or a plain object, which JSON keeps'

/** @param fallback what counts if the value is undefined */
export const or =
  <T, D>(check: Check<T>, fallback: D): Check<T | D> =>
  (name, value) =>
    value === undefined ? fallback : check(name, value)

const ofType =
  <T>(type: string, what: string): Check<T> =>
  (name, value) =>
    typeof value === type ? (value as T) : failType(name, what, value)

export const boolean: Check<boolean> = ofType('boolean', 'a boolean')
const aNumber: Check<number> = ofType('number', 'a number')
export const string: Check<string> = ofType('string', 'a string')
export const aFunction = <F>(): Check<F> => ofType('function', 'a function')

export const number =
  (least: number, most: number, isWhole = false): Check<number> =>
  (name, value) => {
    const found = aNumber(name, value)
    if (found >= least && found <= most && (!isWhole || Number.isInteger(found))) return found
    return failRange(name, `a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`, value)
  }
export const whole = (least: number, most = 1_000_000) => number(least, most, true)

export const oneOf =
  <T extends string>(...values: T[]): Check<T> =>
  (name, value) =>
    values.includes(value as T)
      ? (value as T)
      : failValue(name, `one of ${values.map((one) => `'${one}'`).join(', ')}`, value)

/** Something that another check accepts, and that obeys rules. */
const such =
  <T>(check: Check<T>, ...rules: [isObeyed: (value: T) => boolean, what: string][]): Check<T> =>
  (name, value) => {
    const found = check(name, value)
    for (const [isObeyed, what] of rules) if (!isObeyed(found)) failValue(name, what, value)
    return found
  }

/** A time in milliseconds since 1970. It is rounded up, so that no timer is early. */
export const time: Check<number> = (name, at) => {
  const time = at instanceof HostDate ? at.getTime() : at
  if (typeof time !== 'number') failType(name, 'a Date or a number', at)
  if (Math.abs(time) <= LAST_DATE) return Math.max(0, Math.ceil(time))
  return failRange(name, 'a valid time, at most 2^51 ms after 1970', time)
}

/** The name of a timer, or its key. */
export const name = such(
  string,
  [(text) => text !== '' && Buffer.byteLength(text) <= LONGEST_NAME, `1 to ${LONGEST_NAME} bytes long`],
  // Databases cannot store them.
  [(text) => !text.includes('\0'), 'a text without zero characters'],
  [(text) => !/\p{Surrogate}/u.test(text), 'a text without lone surrogates'],
)

/** The package for cron expressions takes an empty name for the time zone of the system. */
function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== undefined
  } catch {
    return false
  }
}
export const timeZone = such(string, [isTimeZone, "the name of a time zone, such as 'Europe/Berlin'"])

/** The name of a table or schema. No database has two whose names differ only in capital letters. */
export const identifier: Check<string> = (name, value) => {
  const text = string(name, value)
  if (/^[a-z][a-z0-9_]{0,40}$/i.test(text)) return text.toLowerCase()
  return failValue(name, 'a letter, then up to 40 letters, digits and _', text)
}

export const client: Check<PostgresClient> = (name, value) => {
  if (typeof (value as Partial<PostgresClient> | null)?.query === 'function') return value as PostgresClient
  return failType(name, 'an object with a method query', value)
}

/** The connection of a transaction. A pool would take any connection. */
export const transaction = such(client, [
  (db) => !isPool(db),
  'a connection on which a transaction has begun, not a pool',
])

const path = such(
  ofType<string>('string', "a path, ':memory:' or postgres(client)"),
  [(text) => text !== '' && !text.includes('\0'), "a path or ':memory:'"],
  // SQLite would take it for a URI.
  [(text) => !/^(file|postgres|postgresql):/.test(text), 'a path or postgres(client), not a URL'],
)

/** The client of a PostgreSQL database, or the path of a file, which stays the same if the program goes to another folder. */
export const store: Check<PostgresClient | string> = (name, value) => {
  const given = (value as { client?: unknown } | null | undefined)?.client
  if (given !== undefined) return client('client', given)
  const text = path(name, value)
  return text === ':memory:' ? text : resolve(text)
}

/** The data of a timer, as JSON; null: there is none. */
export const data: Check<string | null> = (name, value) => {
  if (value === undefined) return null
  try {
    const text = JSON.stringify(value)
    checkKept(name, value)
    if (Buffer.byteLength(text) <= MOST_DATA) return text
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== undefined) throw cause
    failValue(name, 'a value that JSON.stringify can write', value, cause)
  }
  return failValue(name, `at most ${MOST_DATA} bytes of JSON`, value)
}

/** Refuses what JSON changes. Properties that are undefined are left out, and -0 is 0: both read the same. */
function checkKept(path: string, value: unknown): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  const isArray = Array.isArray(value)
  const prototype = typeof value === 'object' ? Object.getPrototypeOf(value) : undefined
  // The prototype of plain objects, of this realm or another, has none itself.
  const isPlain = prototype === null || (prototype !== undefined && Object.getPrototypeOf(prototype) === null)
  if (!isArray && !isPlain) failType(path, KEPT, value)
  for (const [key, part] of isArray ? value.entries() : Object.entries(value as object))
    if (isArray || part !== undefined) checkKept(isArray ? `${path}[${key}]` : `${path}.${key}`, part)
}
