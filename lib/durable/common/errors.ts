/** The errors of durable timers. */

/** Characters of a failure that are stored. */
const LONGEST_MESSAGE = 1_000

/** docs/durable.md says what each of them means. */
type DurableErrorCode =
  | 'ERR_DURABLE_CLOSED'
  | 'ERR_DURABLE_EXISTS'
  | 'ERR_DURABLE_HANDLER'
  | 'ERR_DURABLE_TIMEOUT'
  | 'ERR_DURABLE_DEATHS'
  | 'ERR_DURABLE_LEASE'
  | 'ERR_DURABLE_REPLACED'
  | 'ERR_DURABLE_STORE'
  | 'ERR_DURABLE_UNAVAILABLE'
  | 'ERR_DURABLE_DOUBT'
  | 'ERR_DURABLE_TRANSACTION'
  | 'ERR_DURABLE_UNSUPPORTED'

export class DurableError extends Error {
  override readonly name = 'DurableError'
  readonly code: DurableErrorCode
  /** Of `setMany`, if it was refused in part: how many of the first rows are stored all the same. */
  declare stored?: number

  constructor(code: DurableErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Errors of statements for many items, of which perhaps one was the reason. Nothing has changed. The others may be stored without it. */
export const causedByOne = new WeakSet<object>()

export const closedStore = (): DurableError =>
  new DurableError('ERR_DURABLE_CLOSED', 'the store of durable timers is closed')

/** The error of a `setMany` whose first rows are stored. */
export function storedInPart(cause: unknown, stored: number): unknown {
  if (!(cause instanceof DurableError)) return cause
  const error = new DurableError(cause.code, `${cause.message}; the first ${stored} rows are stored`, cause)
  error.stored = stored
  return error
}

/** The result of work that changes nothing on which anything depends: after a lost answer, nothing is in doubt. */
export async function withoutDoubt<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof DurableError) || error.code !== 'ERR_DURABLE_DOUBT') throw error
    throw new DurableError('ERR_DURABLE_UNAVAILABLE', error.message, error)
  }
}

function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return 'an object without a text'
  }
}

/** Any thrown value as an error. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(textOf(thrown), { cause: thrown })

/** The message of an error as databases can store it: short, and without zero characters. */
export function messageOf(error: Error): string {
  let message = ''
  try {
    message = textOf(error.message) || error.name
  } catch {
    // A getter has thrown.
  }
  return Buffer.from(message.slice(0, LONGEST_MESSAGE)).toString().replaceAll('\0', '')
}

export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 28 ? `${value.slice(0, 25)}...` : value)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'object' || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  const name = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== 'Object' ? `an object of the class ${name}` : 'an object'
}

function coded(Class: ErrorConstructor, code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Class(message, cause === undefined ? undefined : { cause }), { code })
}

/** Throws the error of a value that is not accepted. */
type Fail = (name: string, what: string, value: unknown, cause?: unknown) => never

const failBy =
  (Class: ErrorConstructor, code: string): Fail =>
  (name, what, value, cause) => {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    throw coded(Class, code, `${name} must be ${what}, got ${show(value)}${reason}`, cause)
  }

export const failType: Fail = failBy(TypeError, 'ERR_INVALID_ARG_TYPE')
export const failValue: Fail = failBy(TypeError, 'ERR_INVALID_ARG_VALUE')
export const failRange: Fail = failBy(RangeError, 'ERR_OUT_OF_RANGE')

/** Options that are unknown, are missing, or do not go together. */
export const invalidOptions = (message: string): Error => coded(TypeError, 'ERR_INVALID_ARG_VALUE', message)

export const cannotAdvance = (needs: string): Error =>
  coded(Error, 'ERR_WHEEL_DRIVER', `advance() needs ${needs}`)
