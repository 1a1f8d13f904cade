/** What the errors of a PostgreSQL client mean for a store: https://www.postgresql.org/docs/current/errcodes-appendix.html lists the codes. */
import { causedByOne, DurableError } from '../common/errors.js'

/** Two changes met: a deadlock, a new row with the same key, a conflict of transactions. Nothing has changed. */
export const CONFLICTS = ['40P01', '23505', '40001']
/** One item of many can cause them: a lock, a text that cannot be stored, a constraint, a limit, an error that a trigger raises. */
const CAUSED_BY_ONE = ['55P03', '0A', '21', '22', '23', '44', '54', 'P0']
/** The database is no store: no such table or function, another type, data that cannot be read. */
const BROKEN = ['42', 'XX', '22', 'TW']
/** It is unknown whether a transaction was committed: connections, and the end of the server. But not if a statement was cancelled. */
const DOUBTFUL = ['08', '57']
const CANCELLED = '57014'
/** The user of the database lacks a right. */
const DENIED = ['42501']
/** An earlier statement of the program's transaction has failed. */
const ABORTED = ['25P02']
/** Nothing was sent: errors of the system, and of a server that refuses the connection. */
const NOT_SENT = new Set<unknown>(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'])
const REFUSED = ['28', '3D', '53300', '57P03']

type Thrown = Partial<Record<'code' | 'severity' | 'syscall' | 'message', unknown>> | null | undefined

/** The code that PostgreSQL gives; '' for other errors. Codes of the system have no digit. */
function codeOf(error: unknown): string {
  const code = (error as Thrown)?.code
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : ''
}

/** Whether an error has one of the codes, or is of one of the classes of codes. */
export const isOf = (codes: readonly string[], error: unknown): boolean =>
  codes.some((one) => codeOf(error).startsWith(one))

/** Whether the server has answered with this error, and goes on with the connection. */
export const isAnswer = (error: unknown): boolean =>
  codeOf(error) !== '' && !['FATAL', 'PANIC'].includes(`${(error as Thrown)?.severity}`)

export function errorOf(thrown: unknown): DurableError {
  if (thrown instanceof DurableError) return thrown
  const { code, syscall, message } = (thrown as Thrown) ?? {}
  const is = (codes: readonly string[]): boolean => isOf(codes, thrown)
  const help = is(DENIED) ? ': `npx timeout-wheel durable sql` prints what makes the store' : ''
  const as = (kind: DurableError['code']): DurableError =>
    new DurableError(kind, `PostgreSQL: ${message ?? thrown}${help}`, thrown)
  if (NOT_SENT.has(code) || syscall === 'connect' || is(REFUSED)) return as('ERR_DURABLE_UNAVAILABLE')
  if (!isAnswer(thrown) || (is(DOUBTFUL) && !is([CANCELLED]))) return as('ERR_DURABLE_DOUBT')
  if (is(ABORTED)) return as('ERR_DURABLE_TRANSACTION')
  const error = as(is(BROKEN) ? 'ERR_DURABLE_STORE' : 'ERR_DURABLE_UNAVAILABLE')
  if (is(CAUSED_BY_ONE)) causedByOne.add(error)
  return error
}
