/**
 * The worker thread of an SQLite store. Each message is a call of database.ts, and the reply has its number. Both are JSON, which takes less
 * time than copies of objects.
 */
import { statSync, watch } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableError } from '../common/errors.js'
import type { Method } from '../common/store.js'
import { setInterval, setTimeout, timeOfDay } from '../common/time.js'
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

/** When this thread looks for what other processes have written, in milliseconds. */
const SOON = 20
const SELDOM = 200

const { path, table, time } = workerData as ThreadOptions
const isFile = path !== ':memory:'
const post = (reply: Reply): void => parentPort!.postMessage(JSON.stringify(reply))

let database: Database | undefined
/** Which files were opened. */
let identity = ''
/** Whether a look comes soon. */
let isSoon = false

/** Opens the file at the first call, and at the next if that fails. */
function open(): Database {
  if (database !== undefined) return database
  database = makeDatabase({ path, table, now: time === undefined ? timeOfDay : () => time[0]! })
  identity = identify()
  if (isFile) watchLog()
  return database
}

/**
 * Identifies the files that the path names now. It must not open them: the end of that would end the locks of the process. SQLite keeps
 * the second file as long as a connection is open.
 */
function identify(): string {
  const idOf = (file: string): string => {
    try {
      const { dev, ino } = statSync(file)
      return `${dev} ${ino}`
    } catch (error) {
      return `${(error as NodeJS.ErrnoException).code}`
    }
  }
  return isFile ? `${idOf(path)}, ${idOf(`${path}-wal`)}` : ''
}

function make({ method, args }: Call): unknown {
  const opened = open()
  if (method === 'open') return null
  if (method === 'close') {
    database = undefined
    return opened.close()
  }
  const value = opened[method](args as never)
  if (identify() === identity) return value
  // If the file was deleted or replaced, its last writes are lost.
  throw new DurableError(
    'ERR_DURABLE_STORE',
    `${path} or ${path}-wal was deleted or replaced while it was open`,
  )
}

/** Tells of news. Here and not in the engine, so that the program is woken only if another process has written. */
function look(): void {
  isSoon = false
  if (database?.hasNews()) post({ number: 0 })
}

/** Looks soon after the system has told of a change of SQLite's log, and else seldom: an idle store costs next to nothing. */
function watchLog(): void {
  const changed = (): void => {
    if (isSoon) return
    isSoon = true
    setTimeout(look, SOON)
  }
  setInterval(look, SELDOM)
  try {
    watch(`${path}-wal`, { persistent: false }, changed).on('error', () => {})
  } catch {
    // The system cannot tell.
  }
}

parentPort!.on('message', (message: string) => {
  const call: Call = JSON.parse(message)
  const { number } = call
  try {
    post({ number, value: make(call) })
  } catch (thrown) {
    post({ number, failure: failureOf(thrown) })
  }
})
