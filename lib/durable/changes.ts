/**
 * Group commit: the changes of a turn share a transaction, and those that come while it runs share the next. So a commit, which waits for
 * the disk, is paid by many.
 */
import type { Change, Changed } from './store.js'

/** Of one transaction. More would keep the event loop busy while they are copied to the worker thread. */
const MOST = 500
/** Characters of data, but for the last change. */
const MOST_DATA = 2 ** 21

interface Waiting {
  readonly change: Change
  apply(changed: Changed): void
  reject(error: unknown): void
}

const sizeOf = (change: Change): number => (change.kind === 'set' ? (change.row.data?.length ?? 0) : 0)

/** Makes changes, and calls back with the answer. */
type Commit = (changes: readonly Change[], done: (changed: readonly Changed[]) => void) => Promise<void>

export class Changes {
  readonly #commit: Commit
  #waiting: Waiting[] = []
  /** The index of the first that waits. */
  #first = 0
  #isBusy = false
  #whenIdle: (() => void)[] = []

  constructor(commit: Commit) {
    this.#commit = commit
  }

  get isIdle(): boolean {
    return !this.#isBusy
  }

  /** Fulfilled after the commit. Changes are made in the order of the calls. @param apply called at once with the answer */
  add(change: Change, apply: (changed: Changed) => void): Promise<Changed> {
    return new Promise((resolve, reject) => {
      const applied = (changed: Changed): void => {
        apply(changed)
        resolve(changed)
      }
      this.#waiting.push({ change, apply: applied, reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => this.#flush())
    })
  }

  /** Fulfilled when no change is under way. */
  whenIdle(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve()
  }

  async #flush(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      try {
        await this.#commit(
          batch.map(({ change }) => change),
          (changed) => {
            for (const [i, { apply, reject }] of batch.entries()) {
              const { failure } = changed[i]!
              if (failure === undefined) apply(changed[i]!)
              else reject(failure)
            }
          },
        )
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isBusy = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #take(): Waiting[] {
    const from = this.#first
    let data = 0
    while (this.#first < this.#waiting.length && this.#first - from < MOST && data < MOST_DATA)
      data += sizeOf(this.#waiting[this.#first++]!.change)
    const batch = this.#waiting.slice(from, this.#first)
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    return batch
  }
}
