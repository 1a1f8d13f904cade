/** What the errors of SQLite mean for a store: https://www.sqlite.org/rescode.html lists the codes. */
import { causedByOne, DurableError } from '../common/errors.js'

/** What an error of the worker thread was made of. Errors do not keep their codes in a message. */
export interface Failure {
  code: string | undefined
  /** SQLite's own code. */
  errcode: number | undefined
  message: string
}

/** Primary codes for a file that is not, or no longer, a store: ERROR, CORRUPT, FORMAT, NOTADB. */
const BROKEN = new Set([1, 11, 24, 26])
/** Those that one item of many can cause: TOOBIG, CONSTRAINT, which triggers of the program raise too, MISMATCH. */
const CAUSED_BY_ONE = new Set([18, 19, 20])
/** That of the operating system's errors. What was written may be found after a crash. */
const SQLITE_IOERR = 10

export function errorOf({ code, errcode = 0, message }: Failure, path: string): Error {
  if (code?.startsWith('ERR_DURABLE_')) return new DurableError(code as DurableError['code'], message)
  const text = `${path}: ${message}`
  const primary = errcode & 0xff
  if (primary === SQLITE_IOERR) return new DurableError('ERR_DURABLE_DOUBT', text)
  const error = new DurableError(BROKEN.has(primary) ? 'ERR_DURABLE_STORE' : 'ERR_DURABLE_UNAVAILABLE', text)
  if (CAUSED_BY_ONE.has(primary)) causedByOne.add(error)
  return error
}
