/** The worker thread of an SQLite store. Each message is a call of {@link Database}; the answer has its number. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableError } from '../common/errors.js'
import { clearTimeout, setTimeout, timeOfDay } from '../common/time.js'
import { Database } from './database.js'

/**
 * Between two looks for what other processes have written, in milliseconds. The system tells of changes of the log of SQLite. Then this
 * thread looks soon, and else seldom, in case that the system has not told: an idle store costs next to nothing. Until the system has told of
 * the first change, which this process makes itself, it looks often.
 */
const SOON = 20
const SELDOM = 500

export interface ThreadOptions {
  path: string
  table: string
  /** Time that a test moves; undefined: that of the machine. */
  time: Float64Array | undefined
}

export interface Call {
  number: number
  method: string
  args: unknown
}

/** An answer: a value, or what an error was made of. Errors do not keep their codes in a message. Without a number: news. */
export type Answer = { number: number; value: unknown } | { number: number; failure: Failure } | { number: 0 }

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

const { path, table, time } = workerData as ThreadOptions
let database: Database | undefined
/** Which files were opened. */
let identity = ''
let isTold = false

/** Opens the file at the first call, and at the next if that fails. */
function open(): Database {
  if (database !== undefined) return database
  database = new Database({
    ...{ path, table },
    now: time === undefined ? timeOfDay : () => time[0]!,
  })
  identity = identify()
  return database
}

/**
 * Identifies the files that the path names now. It must not open them: the end of that would end the locks of the process. SQLite keeps
 * the second file as long as a connection is open.
 */
function identify(): string {
  if (path === ':memory:') return ''
  const idOf = (file: string): string => {
    try {
      const { dev, ino } = statSync(file)
      return `${dev} ${ino}`
    } catch (error) {
      return String((error as NodeJS.ErrnoException).code)
    }
  }
  return `${idOf(path)}, ${idOf(`${path}-wal`)}`
}

/** @throws DurableError if the path names other files than those that are open: SQLite goes on in files that nobody can open again */
function checkIdentity(): void {
  if (identify() === identity) return
  throw new DurableError(
    'ERR_DURABLE_STORE',
    `${path} or ${path}-wal was deleted or replaced while it was open`,
  )
}

function answer({ number, method, args }: Call): Answer {
  try {
    const opened = open()
    if (method === 'open') return { number, value: null }
    if (method === 'news') isTold = false
    const call = Reflect.get(opened, method) as (args: unknown) => unknown
    const value = call.call(opened, args)
    if (method !== 'close') checkIdentity()
    return { number, value }
  } catch (thrown) {
    return { number, failure: failureOf(thrown) }
  }
}

/** Here and not in the engine, so that the program is woken only if another process has written. */
function look(): void {
  if (database === undefined || isTold || !database.hasNews()) return
  isTold = true
  parentPort!.postMessage({ number: 0 } satisfies Answer)
}
let looking: NodeJS.Timeout | undefined
/** Whether the system tells of changes, whether it has told of one since the last look, and whether the next look comes soon. */
let [isTelling, hasChanged, isSoon] = [false, false, true]

function lookAgain(): void {
  isSoon = hasChanged || !isTelling
  hasChanged = false
  const next = (): void => {
    look()
    lookAgain()
  }
  looking = setTimeout(next, isSoon ? SOON : SELDOM)
}

function changed(): void {
  isTelling = true
  hasChanged = true
  if (isSoon) return
  clearTimeout(looking)
  lookAgain()
}

/** @returns undefined if the system cannot tell */
function watchLog(): FSWatcher | undefined {
  try {
    return watch(`${path}-wal`, { persistent: false }, changed).on('error', () => {
      isTelling = false
    })
  } catch {
    return undefined
  }
}
let watcher: FSWatcher | undefined
if (path !== ':memory:') lookAgain()

parentPort!.on('message', (call: Call) => {
  parentPort!.postMessage(answer(call))
  if (call.method === 'open' && path !== ':memory:') watcher ??= watchLog()
  if (call.method !== 'close') return
  watcher?.close()
  clearTimeout(looking)
  parentPort!.close()
})
