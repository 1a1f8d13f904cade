/** A store in an SQLite file, as the engine sees it: a worker thread that has the file open. */
import { DurableError } from '../common/errors.js'
import type { Answer, Args, Method, Store } from '../common/store.js'
import { timeOfDay } from '../common/time.js'
import { Thread } from './thread.js'
import type { ThreadOptions } from './worker.js'

export class SqliteStore implements Store {
  readonly now: () => number
  readonly #options: ThreadOptions
  #thread: Thread | undefined
  #hasLostMemory = false
  #isClosed = false
  #news: () => void = () => {}

  private constructor(options: ThreadOptions) {
    const { time } = options
    this.now = time === undefined ? timeOfDay : () => time[0]!
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
      await store.#thread?.end()
      throw error
    }
    return store
  }

  least(): number {
    return this.now()
  }

  onNews(callback: () => void): void {
    this.#news = callback
  }

  call<M extends Method>(method: M, args: Args<M>): Promise<Answer<M>> {
    return this.#call(method, args)
  }

  /** Starts another thread if the former one has ended by itself. */
  #call<T>(method: string, args: unknown): Promise<T> {
    const { path } = this.#options
    if (this.#hasLostMemory || this.#isClosed) {
      const message = `${path}: the worker thread that held the timers in memory has ended, so they are lost`
      return Promise.reject(new DurableError('ERR_DURABLE_STORE', message))
    }
    this.#thread ??= new Thread(this.#options, {
      news: () => this.#news(),
      ended: () => {
        this.#thread = undefined
        this.#hasLostMemory = path === ':memory:'
      },
    })
    return this.#thread.call(method, args)
  }

  async close(): Promise<void> {
    const thread = this.#thread
    try {
      if (thread !== undefined) await this.#call('close', {})
    } finally {
      this.#isClosed = true
      await thread?.end()
    }
  }
}
