/**
 * Group commit: what is stored in a turn shares a transaction, and what comes while that runs shares the next. So a commit, which waits
 * for the disk, is paid by many.
 */
import { outside } from '../common/context.js'
import { causedByOne } from '../common/errors.js'
import type { Answer, Args } from '../common/store.js'
import { setImmediate } from '../common/time.js'
import type { Lease } from './lease.js'

/** The size of one transaction. More would keep the event loop busy while it is copied to the worker thread. */
const MOST = 2_000_000
/** The size of a part: one for each character of data, and this. */
export const PART = 4_000

/** Something to store. It gets the answer at once, or why it was not stored. */
export interface Item<P, A> {
  /** The sum over its parts. Infinity: it shares no transaction with others. Default: that of one part without data. */
  readonly size?: number
  /** Two items with the same key do not share a transaction. */
  readonly keys?: readonly string[]
  /** Its parts, which are made when it is sent. */
  send(): P[]
  /** @param owner the number under which the parts were sent */
  apply(answers: A[], parts: P[], owner: number): void
  fail(error: unknown): void
}

/** @param argsOf makes the arguments of a statement. `isWhole`: the parts are those of one item, which cannot be divided */
export function makeGroupCommit<M extends 'change' | 'end', P>(
  lease: Lease,
  method: M,
  argsOf: (owner: number, parts: P[], isWhole: boolean) => Args<M>,
) {
  type Stored = Item<P, Answer<M>[number]>
  const waiting: Stored[] = []

  async function flush(): Promise<void> {
    await new Promise(setImmediate)
    while (waiting.length > 0) await commit(take())
    group.busy = undefined
  }

  /** If one of the items may be the reason for an error, the halves of the batch go on alone. So others do not wait for that one. */
  async function commit(batch: readonly Stored[]): Promise<void> {
    const sent: P[][] = []
    const send = (owner: number): Args<M> => {
      for (const item of batch) sent.push(item.send())
      return argsOf(owner, sent.flat(), batch.length === 1)
    }
    try {
      await lease.ask(method, send, (answers, owner) => {
        const left = [...answers]
        for (const [i, parts] of sent.entries()) batch[i]!.apply(left.splice(0, parts.length), parts, owner)
      })
    } catch (error) {
      if (batch.length > 1 && causedByOne.has(error as object)) {
        const half = batch.length >> 1
        await commit(batch.slice(0, half))
        return commit(batch.slice(half))
      }
      for (const item of batch) item.fail(error)
    }
  }

  function take(): Stored[] {
    const keys = new Set<string>()
    let [items, sum] = [0, 0]
    for (const { size = PART, keys: own = [] } of waiting) {
      sum += size
      if (items > 0 && (sum > MOST || own.some((key) => keys.has(key)))) break
      items++
      for (const key of own) keys.add(key)
    }
    return waiting.splice(0, items)
  }

  const group = {
    /** Fulfilled when nothing is under way; undefined: nothing is. */
    busy: undefined as Promise<void> | undefined,
    /** Stores an item after those before it. */
    add(item: Stored): void {
      waiting.push(item)
      group.busy ??= outside(flush)
    },
  }
  return group
}
