/** The worker thread of an SQLite store. Each message is a call of {@link Database}; the answer has its number. */
import { parentPort, workerData } from 'node:worker_threads'
import { Database } from './database.js'

export interface Call {
  number: number
  method: string
  args: unknown[]
}

/** An answer: a value, or what an error was made of. Errors do not keep their codes in a message. */
export type Answer = { number: number; value: unknown } | { number: number; failure: Failure }

export interface Failure {
  code: string
  /** SQLite's own code. */
  errcode?: number
  message: string
}

const failureOf = (thrown: unknown): Failure => {
  const { code, errcode, message } = thrown as Partial<Failure>
  return { code: String(code), message: String(message), ...(errcode !== undefined && { errcode }) }
}

const { path, table } = workerData as { path: string; table: string }
let database: Database | undefined

function answer({ number, method, args }: Call): Answer {
  try {
    if (method === 'open') {
      database = new Database(path, table)
      return { number, value: undefined }
    }
    const call = Reflect.get(database!, method) as (...args: unknown[]) => unknown
    return { number, value: call.apply(database, args) }
  } catch (thrown) {
    return { number, failure: failureOf(thrown) }
  }
}

parentPort!.on('message', (call: Call) => {
  parentPort!.postMessage(answer(call))
  if (call.method === 'close') parentPort!.close()
})
