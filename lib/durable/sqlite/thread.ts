/** A worker thread of an SQLite store, as a function that calls it. */
import { Worker } from 'node:worker_threads'
import { outside } from '../common/context.js'
import { DurableError, markCausedByOne } from '../common/errors.js'
import type { Answer, Call, Failure, ThreadOptions } from './worker.js'
import { workerSource } from './worker-source.js'

/** Primary result codes of SQLite for a file that is not, or no longer, a store: ERROR, CORRUPT, FORMAT, NOTADB. */
const BROKEN = new Set([1, 11, 24, 26])
/** Those that one item of many can cause: TOOBIG, CONSTRAINT, which triggers of the program raise too, MISMATCH. */
const CAUSED_BY_ONE = new Set([18, 19, 20])
/** That of the operating system's errors. What was written may be found after a crash. */
const SQLITE_IOERR = 10

function errorOf({ code, errcode = 0, message }: Failure, path: string): Error {
  if (code.startsWith('ERR_DURABLE_')) return new DurableError(code as DurableError['code'], message)
  const text = `${path}: ${message}`
  const primary = errcode & 0xff
  if (primary === SQLITE_IOERR) return new DurableError('ERR_DURABLE_DOUBT', text)
  const error = new DurableError(BROKEN.has(primary) ? 'ERR_DURABLE_STORE' : 'ERR_DURABLE_UNAVAILABLE', text)
  return CAUSED_BY_ONE.has(primary) ? markCausedByOne(error) : error
}

/** @throws DurableError if Node refuses to start a thread */
function start(options: ThreadOptions): Worker {
  try {
    // Without the options of the program, which may be meant for its text: `node --input-type=module --eval`.
    return new Worker(workerSource, { eval: true, workerData: options, execArgv: [] })
  } catch (cause) {
    const message = `${options.path}: the worker thread of the store cannot start: ${(cause as Error).message}`
    throw new DurableError('ERR_DURABLE_UNAVAILABLE', message, cause)
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

interface ThreadEvents {
  news(): void
  /** The thread has ended by itself, for example because memory ran out. */
  ended(): void
}

export class Thread {
  readonly #path: string
  readonly #events: ThreadEvents
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #hasStarted = false
  #hasEnded = false

  constructor(options: ThreadOptions, events: ThreadEvents) {
    this.#path = options.path
    this.#events = events
    this.#worker = outside(() => start(options))
    this.#worker.once('online', () => {
      this.#hasStarted = true
    })
    this.#worker.on('message', (answer: Answer) => this.#answered(answer))
    this.#worker.on('error', (error) => this.#ended(error))
    this.#worker.on('exit', () => this.#ended(undefined))
    // Answers that are waited for keep the process alive, the thread does not.
    this.#worker.unref()
  }

  call<T>(method: string, args: unknown): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const number = ++this.#calls
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(number, { resolve, reject })
      this.#worker.postMessage({ number, method, args } satisfies Call)
    }) as Promise<T>
  }

  #answered(answer: Answer): void {
    if (answer.number === 0) return this.#events.news()
    const waiting = this.#waiting.get(answer.number)!
    this.#waiting.delete(answer.number)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('failure' in answer) waiting.reject(errorOf(answer.failure, this.#path))
    else waiting.resolve('value' in answer ? answer.value : null)
  }

  #ended(cause: unknown): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    const message = `${this.#path}: the worker thread of the store has ended${reason}`
    // A thread that has not started has made no change.
    const code = this.#hasStarted ? 'ERR_DURABLE_DOUBT' : 'ERR_DURABLE_UNAVAILABLE'
    const lost = new DurableError(code, message, cause)
    for (const { reject } of this.#waiting.values()) reject(lost)
    this.#waiting.clear()
    this.#events.ended()
  }

  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#worker.terminate()
  }
}
