/**
 * The worker thread of an SQLite store. Each message is a call of database.ts. Replies come in the order of the calls, and between them null:
 * there are news. All are JSON, which takes less time than copies of objects.
 */
import { statSync, watch } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { DurableError } from '../common/errors.js'
import type { Method } from '../common/store.js'
import { setInterval, setTimeout, timeOfDay } from '../common/time.js'
import { makeDatabase } from './database.js'
import type { Failure } from './errors.js'

export interface ThreadOptions {
  path: string
  table: string
  /** Time that a test moves; undefined: that of the machine. */
  time: Float64Array | undefined
}

export interface Call {
  method: Method | 'open' | 'close'
  args: unknown
}

export interface Reply {
  value?: unknown
  failure?: Failure
}

/** When this thread looks for what other processes have written, in milliseconds. */
const SOON = 20
const SELDOM = 200

const { path, table, time } = workerData as ThreadOptions
const isFile = path !== ':memory:'
const post = (reply: Reply | null): void => parentPort!.postMessage(JSON.stringify(reply))

let database: ReturnType<typeof makeDatabase> | undefined
/** Which files were opened. */
let identity = ''
/** Whether a look comes soon. */
let isSoon = false

/** Opens the file at the first call, and at the next if that fails. */
function open() {
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
  const message = `${path} or ${path}-wal was deleted or replaced while it was open`
  throw new DurableError('ERR_DURABLE_STORE', message)
}

/** Tells of news. Here and not in the engine, so that the program is woken only if another process has written. */
function look(): void {
  isSoon = false
  if (database?.hasNews()) post(null)
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
  try {
    post({ value: make(JSON.parse(message)) })
  } catch (thrown) {
    const { code, errcode, message } = thrown as Failure
    post({ failure: { code, errcode, message } })
  }
})
