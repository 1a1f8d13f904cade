/** A store in an SQLite file, as the engine sees it: a worker thread that holds the file open. */
import { Worker } from 'node:worker_threads'
import { DurableError } from '../errors.js'
import type { Beat, Change, Changed, Claim, News, Row, Store } from '../store.js'
import type { Answer, Call, Failure } from './worker.js'

/** Primary result codes of SQLite for a file that is not, or no longer, a store: CORRUPT, NOTADB. */
const BROKEN = new Set([11, 26])

function errorOf({ code, errcode, message }: Failure, path: string): Error {
  if (code.startsWith('ERR_DURABLE_')) return new DurableError(code as DurableError['code'], message)
  const text = `${path}: ${message}`
  const isBroken = errcode !== undefined && BROKEN.has(errcode & 0xff)
  return new DurableError(isBroken ? 'ERR_DURABLE_STORE' : 'ERR_DURABLE_UNAVAILABLE', text)
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: Error): void
}

export class SqliteStore implements Store {
  readonly now: () => number
  readonly #path: string
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #calls = 0
  #dead: DurableError | undefined

  private constructor(path: string, table: string, now: () => number) {
    this.now = now
    this.#path = path
    this.#worker = new Worker(new URL('./durable-worker.mjs', import.meta.url), {
      workerData: { path, table },
    })
    this.#worker.on('message', this.#answered)
    this.#worker.on('error', this.#failed)
    this.#worker.on('exit', () => this.#failed(new Error('the worker thread of the store has ended')))
    // Pending answers keep the process alive, the thread does not.
    this.#worker.unref()
  }

  static async open(path: string, table: string, now: () => number): Promise<SqliteStore> {
    const store = new SqliteStore(path, table, now)
    try {
      await store.#call('open')
    } catch (error) {
      await store.#worker.terminate()
      throw error
    }
    return store
  }

  #call<T>(method: string, ...args: unknown[]): Promise<T> {
    if (this.#dead !== undefined) return Promise.reject(this.#dead)
    return new Promise<unknown>((resolve, reject) => {
      const number = ++this.#calls
      if (this.#waiting.size === 0) this.#worker.ref()
      this.#waiting.set(number, { resolve, reject })
      this.#worker.postMessage({ number, method, args } satisfies Call)
    }) as Promise<T>
  }

  readonly #answered = (answer: Answer): void => {
    const waiting = this.#waiting.get(answer.number)!
    this.#waiting.delete(answer.number)
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('failure' in answer) waiting.reject(errorOf(answer.failure, this.#path))
    else waiting.resolve(answer.value)
  }

  /** The thread has ended by itself, for example because memory ran out. */
  readonly #failed = (error: Error): void => {
    const unavailable = new DurableError('ERR_DURABLE_UNAVAILABLE', `${this.#path}: ${error.message}`, error)
    this.#dead ??= unavailable
    for (const { reject } of this.#waiting.values()) reject(unavailable)
    this.#waiting.clear()
  }

  join(lease: number): Promise<number> {
    return this.#call('join', this.now(), lease)
  }

  beat(owner: number, lease: number): Promise<Beat> {
    return this.#call('beat', this.now(), owner, lease)
  }

  claim(claim: Claim): Promise<Row[]> {
    return this.#call('claim', this.now(), claim)
  }

  change(owner: number, changes: readonly Change[]): Promise<Changed[]> {
    return this.#call('change', owner, changes)
  }

  news(owner: number): Promise<News> {
    return this.#call('news', owner)
  }

  leave(owner: number): Promise<void> {
    return this.#call('leave', owner)
  }

  get(name: string, key: string): Promise<Row | undefined> {
    return this.#call('get', name, key)
  }

  page(
    low: readonly [number, number],
    before: number,
    name: string | undefined,
    most: number,
  ): Promise<Row[]> {
    return this.#call('page', low, before, name, most)
  }

  count(low: readonly [number, number], before: number, most: number): ReturnType<Store['count']> {
    return this.#call('count', low, before, most)
  }

  forget(before: number): Promise<void> {
    return this.#call('forget', before)
  }

  async close(): Promise<void> {
    await this.#call('close')
    await this.#worker.terminate()
  }
}
