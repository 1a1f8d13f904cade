/**
 * The worker thread of an SQLite store. Each message is a call of a database (database.ts); the reply has its number. Both are JSON, which takes less
 * time than copies of objects.
 */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableError } from '../common/errors.js'
import type { Method } from '../common/store.js'
import { clearTimeout, setTimeout, timeOfDay } from '../common/time.js'
import { type Database, makeDatabase } from './database.js'
import { type Failure, failureOf } from './errors.js'

export interface ThreadOptions {
  path: string
  table: string
  /** Time that a test moves; undefined: that of the machine. */
  time: Float64Array | undefined
}

export interface Call {
  number: number
  method: Method | 'open' | 'close'
  args: unknown
}

export interface Reply {
  /** 0: there are news. */
  number: number
  value?: unknown
  failure?: Failure
}

const { path, table, time } = workerData as ThreadOptions
const isFile = path !== ':memory:'
const post = (reply: Reply): void => parentPort!.postMessage(JSON.stringify(reply))

let database: Database | undefined
/** Which files were opened. */
let identity = ''

/** Opens the file at the first call, and at the next if that fails. */
function open(): Database {
  if (database !== undefined) return database
  database = makeDatabase({ path, table, now: time === undefined ? timeOfDay : () => time[0]! })
  identity = identify()
  if (isFile) {
    watcher = watchLog()
    lookIn(pause)
  }
  return database
}

/**
 * Identifies the files that the path names now. It must not open them: the end of that would end the locks of the process. SQLite keeps
 * the second file as long as a connection is open.
 */
function identify(): string {
  if (!isFile) return ''
  const idOf = (file: string): string => {
    try {
      const { dev, ino } = statSync(file)
      return `${dev} ${ino}`
    } catch (error) {
      return `${(error as NodeJS.ErrnoException).code}`
    }
  }
  return `${idOf(path)}, ${idOf(`${path}-wal`)}`
}

/** What was written to a file that is deleted or replaced is lost. */
function checkIdentity(): void {
  if (identify() === identity) return
  throw new DurableError(
    'ERR_DURABLE_STORE',
    `${path} or ${path}-wal was deleted or replaced while it was open`,
  )
}

function make({ method, args }: Call): unknown {
  const opened = open()
  if (method === 'open') return null
  if (method === 'close') return opened.close()
  if (method === 'beat') isTold = false
  const value = opened[method](args as never)
  checkIdentity()
  return value
}

/**
 * Between two looks for what other processes have written, in milliseconds. The system tells of changes of the log of SQLite. Then this
 * thread looks soon, and else seldom, in case that the system has not told: an idle store costs next to nothing. Until the system has told of
 * the first change, which this process makes itself, each look comes soon.
 */
const SOON = 20
const SELDOM = 500
let pause = SOON
let isSoon = false
let looking: NodeJS.Timeout | undefined
let watcher: FSWatcher | undefined
/** Whether the program knows of news for which it has not asked yet. */
let isTold = false

function lookIn(ms: number): void {
  clearTimeout(looking)
  isSoon = ms === SOON
  looking = setTimeout(() => {
    look()
    lookIn(pause)
  }, ms)
}

/** Here and not in the engine, so that the program is woken only if another process has written. */
function look(): void {
  if (database === undefined || isTold || !database.hasNews()) return
  isTold = true
  post({ number: 0 })
}

function watchLog(): FSWatcher | undefined {
  const changed = (): void => {
    pause = SELDOM
    if (!isSoon) lookIn(SOON)
  }
  try {
    return watch(`${path}-wal`, { persistent: false }, changed).on('error', () => {
      pause = SOON
    })
  } catch {
    // The system cannot tell.
    return undefined
  }
}

parentPort!.on('message', (message: string) => {
  const call: Call = JSON.parse(message)
  const { number, method } = call
  try {
    post({ number, value: make(call) })
  } catch (thrown) {
    post({ number, failure: failureOf(thrown) })
  }
  if (method !== 'close') return
  watcher?.close()
  clearTimeout(looking)
  // Deno's has no such method.
  parentPort!.close?.()
})
