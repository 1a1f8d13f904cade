/**
 * A store in an SQLite file, as the engine sees it: a worker thread that has the file open. If the thread ends by itself, for example because
 * memory ran out, the next call starts another one.
 */
import { Worker } from 'node:worker_threads'
import { outside } from '../common/context.js'
import { DurableError } from '../common/errors.js'
import type { Answer, Args, Method, Store } from '../common/store.js'
import { timeOfDay } from '../common/time.js'
import { errorOf } from './errors.js'
import type { Call, Reply, ThreadOptions } from './worker.js'
import { workerSource } from './worker-source.js'

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

export class SqliteStore implements Store {
  readonly now: () => number
  readonly least: () => number
  readonly #options: ThreadOptions
  #worker: Worker | undefined
  /** The calls whose answers have not come. */
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  /** Whether the timers were lost with the thread, or the store was closed. */
  #hasEnded = false
  #news: () => void = () => {}

  private constructor(options: ThreadOptions) {
    const { time } = options
    this.now = time === undefined ? timeOfDay : () => time[0]!
    this.least = this.now
    this.#options = options
  }

  static async open(options: ThreadOptions): Promise<SqliteStore> {
    const { node } = process.versions
    const [major = 0, minor = 0] = node.split('.').map(Number)
    if (major < 22 || (major === 22 && minor < 13)) {
      const message = `durable timers in a file need Node 22.13 or later, for node:sqlite; this is ${node}`
      throw new DurableError('ERR_DURABLE_UNSUPPORTED', message)
    }
    const store = new SqliteStore(options)
    try {
      await store.#call('open', {})
    } catch (error) {
      await store.#end()
      throw error
    }
    return store
  }

  onNews(callback: () => void): void {
    this.#news = callback
  }

  call<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>> {
    return this.#call(method, args) as Promise<Answer<M>>
  }

  #call(method: Call['method'], args: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded)
        throw this.#error('ERR_DURABLE_STORE', 'that held the timers has ended: they are lost')
      this.#worker ??= outside(() => this.#start())
      // Answers that are waited for keep the process alive, the thread does not.
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(++this.#calls, { resolve, reject })
      this.#worker.postMessage(JSON.stringify({ number: this.#calls, method, args } satisfies Call))
    })
  }

  #start(): Worker {
    let worker: Worker
    try {
      // Without the options of the program, which may be meant for its text: `node --input-type=module --eval`.
      worker = new Worker(workerSource, { eval: true, workerData: this.#options, execArgv: [] })
    } catch (cause) {
      throw this.#error('ERR_DURABLE_UNAVAILABLE', 'cannot start', cause)
    }
    // A thread that has not started has made no change.
    let lost: DurableError['code'] = 'ERR_DURABLE_UNAVAILABLE'
    worker.once('online', () => {
      lost = 'ERR_DURABLE_DOUBT'
    })
    worker.on('message', (reply: string) => this.#answered(JSON.parse(reply), worker))
    const ended = (cause?: unknown): void => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      this.#hasEnded = this.#options.path === ':memory:'
      const error = this.#error(lost, 'has ended', cause)
      for (const { reject } of this.#waiting.values()) reject(error)
      this.#waiting.clear()
    }
    worker.on('error', ended)
    worker.on('exit', () => ended())
    worker.unref()
    return worker
  }

  #answered(reply: Reply, worker: Worker): void {
    if (reply.number === 0) return this.#news()
    const waiting = this.#waiting.get(reply.number)!
    this.#waiting.delete(reply.number)
    if (this.#waiting.size === 0) worker.unref()
    if (reply.failure === undefined) waiting.resolve(reply.value)
    else waiting.reject(errorOf(reply.failure, this.#options.path))
  }

  /** @param what what the thread does */
  #error(code: DurableError['code'], what: string, cause?: unknown): DurableError {
    const reason = cause instanceof Error ? `: ${cause.message}` : ''
    return new DurableError(
      code,
      `${this.#options.path}: the worker thread of the store ${what}${reason}`,
      cause,
    )
  }

  async close(): Promise<void> {
    try {
      if (this.#worker !== undefined) await this.#call('close', {})
    } finally {
      this.#hasEnded = true
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
