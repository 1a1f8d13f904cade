/**
 * Group commit: what is stored in a turn shares a transaction, and what comes while that runs shares the next. So a commit, which waits
 * for the disk, is paid by many.
 */
import { outside } from '../common/context.js'
import { mayBeCausedByOne } from '../common/errors.js'
import { queueMicrotask, setImmediate } from '../common/time.js'

/** Of one transaction. More would keep the event loop busy while they are copied to the worker thread. */
const MOST = 500
/** Characters of data, but for the last one. */
const MOST_DATA = 2 ** 21

/** Something to store. It gets the answer at once, or why it was not stored. */
export interface Item<A> {
  /** Two with the same key do not share a transaction. */
  readonly key?: string | null
  /** Of an item that consists of many: how many, their keys, and whether it shares no transaction with others. */
  readonly count?: number
  readonly keys?: readonly string[]
  readonly isAlone?: boolean
  /** Characters of data. */
  readonly size?: number
  apply(answer: A): void
  fail(error: unknown): void
}

/** Stores items, and calls back with the answers. @param wasDivided the items were refused together with others */
type Commit<T, A> = (
  items: readonly T[],
  wasDivided: boolean,
  done: (answers: readonly A[]) => void,
) => Promise<void>

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

export class GroupCommit<T extends Item<A>, A> {
  readonly #store: Commit<T, A>
  #waiting: T[] = []
  /** The index of the first that waits. */
  #first = 0
  #isBusy = false
  #whenIdle: (() => void)[] = []

  constructor(store: Commit<T, A>) {
    this.#store = store
  }

  get isIdle(): boolean {
    return !this.#isBusy
  }

  /** Stores an item after those before it. */
  add(item: T): void {
    this.#waiting.push(item)
    if (this.#isBusy) return
    this.#isBusy = true
    outside(() => setImmediate(() => this.#flush()))
  }

  /** Fulfilled when nothing is under way. */
  whenIdle(): Promise<void> {
    return this.#isBusy ? new Promise((resolve) => this.#whenIdle.push(resolve)) : Promise.resolve()
  }

  async #flush(): Promise<void> {
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#commit(batch, false)
    this.#isBusy = false
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }

  /** If one of the items may be the reason for an error, the halves of the batch go on alone. So others do not wait for that one. */
  async #commit(batch: readonly T[], wasDivided: boolean): Promise<void> {
    try {
      await this.#store(batch, wasDivided, (answers) => {
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
    const batch: T[] = []
    const keys = new Set<string>()
    let data = 0
    for (let n = 0; this.#first < this.#waiting.length && n < MOST && data < MOST_DATA; ) {
      const item = this.#waiting[this.#first]!
      const {
        key = null,
        keys: many = key === null ? [] : [key],
        count = 1,
        size = 0,
        isAlone = false,
      } = item
      if (batch.length > 0 && (isAlone || n + count > MOST || many.some((one) => keys.has(one)))) break
      for (const one of many) keys.add(one)
      this.#first++
      batch.push(item)
      n += isAlone ? MOST : count
      data += size
    }
    if (this.#first * 2 >= this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first)
      this.#first = 0
    }
    return batch
  }
}
