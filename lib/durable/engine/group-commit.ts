/**
 * Group commit: what is stored in a turn shares a transaction, and what comes while that runs shares the next. So a commit, which waits
 * for the disk, is paid by many.
 */
import { outside } from '../common/context.js'
import { mayBeCausedByOne } from '../common/errors.js'
import type { Change, Changed, End, Ended } from '../common/store.js'
import { queueMicrotask, setImmediate } from '../common/time.js'

/** Of one transaction. More would keep the event loop busy while they are copied to the worker thread. */
export const MOST = 500
/** Characters of data, but for the last one. */
const MOST_DATA = 2 ** 21

/** Something to store. It gets the answer at once, or why it was not stored. */
interface Item<A> {
  apply(answer: A): void
  fail(error: unknown): void
}

/** A change on the way to the store. */
export interface ChangeItem extends Item<Changed> {
  readonly change: Change
}

/** The end of an attempt, or of a wait, on the way to the store. */
export interface EndItem extends Item<Ended> {
  readonly end: End
}

interface CommitOptions<T extends Item<A>, A, W = T> {
  /** What waits becomes an item when it is sent, unless it is wanted no more. */
  itemOf(waiting: W): T | undefined
  /** Fulfilled when the next items may be sent; undefined: at once. */
  ready?(): Promise<void> | undefined
  /** Stores items, and calls back with the answers. @param wasDivided the items were refused together with others */
  commit(items: readonly T[], wasDivided: boolean, done: (answers: readonly A[]) => void): Promise<void>
  /** Characters of data in an item. */
  sizeOf?(item: T): number
}

/** An item that throws keeps no other from its answer. */
function settle(answer: () => void): void {
  try {
    answer()
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}

/** @typeParam W what waits to be sent: items, or less than an item if very many can wait */
export class GroupCommit<T extends Item<A>, A, W = T> {
  readonly #options: CommitOptions<T, A, W>
  #waiting: W[] = []
  /** The index of the first that waits. */
  #first = 0
  #isBusy = false
  #whenIdle: (() => void)[] = []

  constructor(options: CommitOptions<T, A, W>) {
    this.#options = options
  }

  get isIdle(): boolean {
    return !this.#isBusy
  }

  /** Stores an item after those before it. */
  add(waiting: W): void {
    this.#waiting.push(waiting)
    if (this.#isBusy) return
    this.#isBusy = true
    outside(() => setImmediate(() => this.#flush()))
  }

  /** Fulfilled when nothing is under way. */
  whenIdle(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve()
  }

  async #flush(): Promise<void> {
    for (;;) {
      await this.#options.ready?.()
      const batch = this.#take()
      if (batch.length === 0) break
      await this.#commit(batch, false)
    }
    this.#isBusy = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /** If one of the items may be the reason for an error, the halves of the batch go on alone. So others do not wait for that one. */
  async #commit(batch: readonly T[], wasDivided: boolean): Promise<void> {
    try {
      await this.#options.commit(batch, wasDivided, (answers) => {
        for (const [i, item] of batch.entries()) settle(() => item.apply(answers[i]!))
      })
    } catch (error) {
      if (batch.length > 1 && mayBeCausedByOne(error)) {
        const half = batch.length >> 1
        await this.#commit(batch.slice(0, half), true)
        return this.#commit(batch.slice(half), true)
      }
      for (const item of batch) settle(() => item.fail(error))
    }
  }

  #take(): T[] {
    const { itemOf, sizeOf = () => 0 } = this.#options
    const batch: T[] = []
    let data = 0
    while (this.#first < this.#waiting.length && batch.length < MOST && data < MOST_DATA) {
      const item = itemOf(this.#waiting[this.#first++]!)
      if (item === undefined) continue
      batch.push(item)
      data += sizeOf(item)
    }
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    return batch
  }
}

/** A number is the id of a row whose handler has succeeded: very many can wait for their acknowledgement. */
export type Ends = GroupCommit<EndItem, Ended, EndItem | number>
