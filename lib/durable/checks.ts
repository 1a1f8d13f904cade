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

/** @param fallback what counts if the value is undefined */
export const or =
  <T, D>(check: Check<T>, fallback: D): Check<T | D> =>
  (name, value) =>
    value === undefined ? fallback : check(name, value)

const ofType =
  <T>(type: string, what: string): Check<T> =>
  (name, value) =>
    typeof value === type ? (value as T) : failType(name, what, value)

export const checkBoolean: Check<boolean> = ofType('boolean', 'a boolean')
const checkNumber: Check<number> = ofType('number', 'a number')
export const checkString: Check<string> = ofType('string', 'a string')
export const checkFunction = <F>(): Check<F> => ofType('function', 'a function')

/** @param what the kind of number, in the error */
const inRange =
  (least: number, most: number, what: string, isOne: (value: number) => boolean): Check<number> =>
  (name, value) => {
    const found = checkNumber(name, value)
    if (found >= least && found <= most && isOne(found)) return found
    return failRange(name, `${what} from ${least} to ${most}`, value)
  }

export const number = (least: number, most: number) => inRange(least, most, 'a number', () => true)
export const whole = (least: number, most = 1_000_000) =>
  inRange(least, most, 'a whole number', Number.isInteger)

export const oneOf =
  <T extends string>(...values: T[]): Check<T> =>
  (name, value) =>
    values.includes(value as T)
      ? (value as T)
      : failValue(name, `one of ${values.map((one) => `'${one}'`).join(', ')}`, value)

/** A time in milliseconds since 1970. It is rounded up, so that no timer is early. */
export const checkTime: Check<number> = (name, at) => {
  const time = at instanceof HostDate ? at.getTime() : at
  if (typeof time !== 'number') failType(name, 'a Date or a number', at)
  if (Math.abs(time) <= LAST_DATE) return Math.max(0, Math.ceil(time))
  return failRange(name, 'a valid time, at most 2^51 ms after 1970', time)
}

/** The name of a timer, or its key. */
export const checkName: Check<string> = (what, name) => {
  const text = checkString(what, name)
  const bytes = Buffer.byteLength(text)
  if (bytes < 1 || bytes > LONGEST_NAME) failValue(what, `1 to ${LONGEST_NAME} bytes long`, text)
  // Databases cannot store them.
  if (text.includes('\0')) failValue(what, 'a text without zero characters', text)
  if (/\p{Surrogate}/u.test(text)) failValue(what, 'a text without lone surrogates', text)
  return text
}

/** The package for cron expressions takes an empty name for the time zone of the system. */
export const checkTimeZone: Check<string> = (name, value) => {
  const timeZone = checkString(name, value)
  try {
    new Intl.DateTimeFormat('en', { timeZone })
  } catch {
    failValue(name, "the name of a time zone, such as 'Europe/Berlin'", value)
  }
  return timeZone
}

/** The name of a table or schema. No database has two whose names differ only in capital letters. */
export const checkIdentifier: Check<string> = (name, value) => {
  const text = checkString(name, value)
  if (/^[a-z][a-z0-9_]{0,40}$/i.test(text)) return text.toLowerCase()
  return failValue(name, 'a letter, then up to 40 letters, digits and _', text)
}

/** Something with a method `query`. */
export const checkClient: Check<PostgresClient> = (name, client) => {
  if (typeof (client as Partial<PostgresClient> | null)?.query === 'function') return client as PostgresClient
  return failType(name, 'an object with a method query', client)
}

/** The connection of a transaction. A pool would take any connection. */
export const checkTransaction: Check<PostgresClient> = (name, db) => {
  const client = checkClient(name, db)
  if (isPool(client)) failValue(name, 'a connection on which a transaction has begun, not a pool', db)
  return client
}

/** The client of a PostgreSQL database, or the path of a file, which stays the same if the program goes to another folder. */
export const checkStore: Check<PostgresClient | string> = (name, store) => {
  const { client } = (store ?? {}) as { client?: unknown }
  if (client !== undefined) return checkClient('client', client)
  const path = ofType<string>('string', "a path, ':memory:' or postgres(client)")(name, store)
  if (path === '' || path.includes('\0')) failValue(name, "a path or ':memory:'", path)
  // SQLite would take it for a URI.
  if (/^(file|postgres|postgresql):/.test(path))
    failValue(name, 'a path or postgres(client), not a URL', path)
  return path === ':memory:' ? path : resolve(path)
}
