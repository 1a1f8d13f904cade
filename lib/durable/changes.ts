/**
 * Group commit: the changes of a turn share a transaction, and those that come while it runs share the next. So a commit, which waits for
 * the disk, is paid by many.
 */
import type { Change, Changed } from './store.js'

/** Of one transaction. More would keep the event loop busy while they are copied to the worker thread. */
const MOST = 500

interface Entry {
  readonly change: Change
  resolve(changed: Changed): void
  reject(error: unknown): void
}

export class Changes {
  readonly #commit: (changes: readonly Change[]) => Promise<Changed[]>
  #entries: Entry[] = []
  #isBusy = false

  constructor(commit: (changes: readonly Change[]) => Promise<Changed[]>) {
    this.#commit = commit
  }

  get isIdle(): boolean {
    return !this.#isBusy && this.#entries.length === 0
  }

  /** Fulfilled after the commit. Changes are made in the order of the calls. */
  add(change: Change): Promise<Changed> {
    return new Promise((resolve, reject) => {
      this.#entries.push({ change, resolve, reject })
      if (!this.#isBusy) {
        this.#isBusy = true
        setImmediate(this.#flush)
      }
    })
  }

  readonly #flush = async (): Promise<void> => {
    while (this.#entries.length > 0) {
      const entries = this.#entries.splice(0, MOST)
      try {
        const changed = await this.#commit(entries.map(({ change }) => change))
        for (const [i, { resolve }] of entries.entries()) resolve(changed[i]!)
      } catch (error) {
        for (const { reject } of entries) reject(error)
      }
    }
    this.#isBusy = false
  }
}
