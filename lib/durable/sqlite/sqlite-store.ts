/** A store in an SQLite file, as the engine sees it: a worker thread that has the file open. */
import { DurableError } from '../common/errors.js'
import type {
  Beat,
  Change,
  Changed,
  Claim,
  Claimed,
  End,
  Ended,
  Joined,
  News,
  Portion,
  Position,
  Row,
  Store,
} from '../common/store.js'
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
    const store = new SqliteStore(options)
    try {
      await store.#call('open')
    } catch (error) {
      await store.#thread?.end()
      throw error
    }
    return store
  }

  /** Starts another thread if the former one has ended by itself. */
  #call<T>(method: string, ...args: unknown[]): Promise<T> {
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

  onNews(callback: () => void): void {
    this.#news = callback
  }

  join(lease: number, horizon: number): Promise<Joined> {
    return this.#call('join', lease, horizon)
  }

  beat(owner: number, lease: number): Promise<Beat> {
    return this.#call('beat', owner, lease)
  }

  claim(claim: Claim): Promise<Claimed> {
    return this.#call('claim', claim)
  }

  change(owner: number, changes: readonly Change[]): Promise<Changed[]> {
    return this.#call('change', owner, changes)
  }

  end(owner: number, ends: readonly End[]): Promise<Ended[]> {
    return this.#call('end', owner, ends)
  }

  retry(owner: number, id: number, due: number): Promise<boolean> {
    return this.#call('retry', owner, id, due)
  }

  news(owner: number): Promise<News> {
    return this.#call('news', owner)
  }

  keep(owner: number, own: readonly Pick<Row, 'id' | 'fence'>[]): Promise<number[]> {
    return this.#call('keep', owner, own)
  }

  leave(owner: number): Promise<void> {
    return this.#call('leave', owner)
  }

  get(name: string, key: string): Promise<Row | undefined> {
    return this.#call('get', name, key)
  }

  portion(low: Position, before: number, name: string | undefined): Promise<Portion> {
    return this.#call('portion', low, before, name)
  }

  count(low: Position, before: number): Promise<{ rows: number; next: Position | undefined }> {
    return this.#call('count', low, before)
  }

  forget(before: number): Promise<boolean> {
    return this.#call('forget', before)
  }

  async close(): Promise<void> {
    const thread = this.#thread
    try {
      if (thread !== undefined) await this.#call('close')
    } finally {
      this.#isClosed = true
      await thread?.end()
    }
  }
}
