/**
 * Group commit: what is stored in a turn shares a transaction, and what comes while that runs shares the next. So a commit, which waits
 * for the disk, is paid by many.
 */

/** Of one transaction. More would keep the event loop busy while they are copied to the worker thread. */
const MOST = 500
/** Characters of data, but for the last one. */
const MOST_DATA = 2 ** 21

interface Waiting<T, A> {
  readonly item: T
  readonly apply: (answer: A) => void
  readonly fail: (error: unknown) => void
}

export interface CommitOptions<T, A> {
  /** Stores items, and calls back with the answers. */
  commit(items: readonly T[], done: (answers: readonly A[]) => void): Promise<void>
  /** Characters of data in an item. */
  sizeOf?(item: T): number
}

export class GroupCommit<T, A extends { failure?: Error }> {
  readonly #options: CommitOptions<T, A>
  #waiting: Waiting<T, A>[] = []
  /** The index of the first that waits. */
  #first = 0
  #isBusy = false
  #whenIdle: (() => void)[] = []

  constructor(options: CommitOptions<T, A>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return !this.#isBusy
  }

  /** Stores an item after those before it. @param apply called at once with the answer @param fail called if it was not stored */
  add(item: T, apply: (answer: A) => void, fail: (error: unknown) => void): void {
    this.#waiting.push({ item, apply, fail })
    if (this.#isBusy) return
    this.#isBusy = true
    setImmediate(() => this.#flush())
  }

  /** Fulfilled when nothing is under way. */
  whenIdle(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve()
  }

  async #flush(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) {
      try {
        await this.#options.commit(
          batch.map(({ item }) => item),
          (answers) => {
            for (const [i, { apply, fail }] of batch.entries()) {
              const { failure } = answers[i]!
              if (failure === undefined) apply(answers[i]!)
              else fail(failure)
            }
          },
        )
      } catch (error) {
        for (const { fail } of batch) fail(error)
      }
    }
    this.#isBusy = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  #take(): Waiting<T, A>[] {
    const { sizeOf = () => 0 } = this.#options
    const from = this.#first
    let data = 0
    while (this.#first < this.#waiting.length && this.#first - from < MOST && data < MOST_DATA)
      data += sizeOf(this.#waiting[this.#first++]!.item)
    const batch = this.#waiting.slice(from, this.#first)
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    return batch
  }
}
