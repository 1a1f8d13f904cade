/** When this process claims which rows: docs/contributing/durable.md. Each name has a position `low`: all free rows up to it were claimed. */
import { outside } from '../common/context.js'
import { earlier } from '../common/rows.js'
import type { ClaimedOf, ClaimOf, Position, Row } from '../common/store.js'
import { setImmediate } from '../common/time.js'
import type { Handler } from './handler.js'
import type { Lease } from './lease.js'

/** The most rows of a claim: it must not keep the thread of the database busy. */
const MOST = 1_000
/** Bytes of a claim of rows that are due, but for the last one. */
const MOST_BYTES = 2 ** 20
/** Before a claim that has failed is tried again, in milliseconds. */
const WAIT = 1_000
/** Between two claims of a name of which much is held, and before rows are looked at again that another transaction has locked. */
const SOON = 20
const LOCKED = 100
/** Rows that have been due for longer than this are shared with other processes, in milliseconds. */
const SHARED = 50
/** The position of a name while it is claimed, so that all rows that come meanwhile lie before it. */
const END: Position = [Number.POSITIVE_INFINITY, '']

export type Claims = ReturnType<typeof makeClaims>

/** @param usual the horizon @param pause the longest time between two claims */
export function makeClaims(lease: Lease, usual: number, pause: number) {
  const { clock, held, background } = lease
  const wanted = new Set<Handler>()

  /** The number under which this process would hold a timer, beside so many others; 0: it would not. */
  function holder(name: string, due: number, others = 0): number {
    const handler = held.handlers.get(name)
    const now = clock.now()
    const holds =
      handler?.isActive === true &&
      handler.room.most > others &&
      due <= now + usual &&
      // Those that are due before it wait to be claimed.
      !(handler.isCut && due > handler.low[0]) &&
      // Another process may have room.
      (lease.others === 0 || due > now || handler.slots > -handler.options.concurrency) &&
      lease.isAlive
    return holds ? lease.owner : 0
  }

  /** A row was stored with this owner. */
  function stored(row: Row, owner: number): void {
    if (owner !== 0 && owner === lease.owner) held.add(row)
    else held.expect(row.name, row.due)
  }

  function want(handler: Handler): void {
    wanted.add(handler)
    claims.busy ??= outside(run)
  }

  async function run(): Promise<void> {
    // So that the rows that a turn expects share a claim.
    await new Promise(setImmediate)
    while (wanted.size > 0) {
      const handlers = [...wanted]
      wanted.clear()
      // A new lease makes the next claim.
      if (lease.isAlive) await claim(handlers)
    }
    claims.busy = undefined
  }

  async function claim(handlers: readonly Handler[]): Promise<void> {
    const asked: [Handler, ClaimOf][] = []
    for (const handler of handlers) {
      const one = claimOf(handler)
      if (one !== undefined) asked.push([handler, one])
    }
    if (asked.length === 0) return
    const names = asked.map(([, one]) => one)
    const fail = (): void => {
      for (const [handler, { low }] of asked) {
        handler.low = earlier(handler.low, low)
        handler.claiming.set(clock.now() + WAIT)
      }
    }
    const done = (claimed: ClaimedOf[] | null, owner: number): void => {
      if (owner !== lease.owner) return fail()
      if (claimed !== null) for (const [i, one] of asked.entries()) answered(...one, claimed[i]!)
      else {
        fail()
        lease.lapse()
      }
    }
    try {
      await lease.ask('claim', (owner) => ({ owner, names }), done)
    } catch (error) {
      background.report(error)
      fail()
    }
  }

  /** What is to be claimed of a name now. */
  function claimOf(handler: Handler): ClaimOf | undefined {
    if (!handler.isActive) return undefined
    const { name, low, nextDue, room, slots } = handler
    const now = clock.now()
    const isDue = nextDue <= now
    // Other processes get their share of the rows that are due. Rows that became due after a claim of those need not be shared.
    const isShared = lease.others > 0 && low !== handler.caughtUp && nextDue < now - SHARED
    handler.caughtUp = undefined
    const isAhead = room.most > 0 && !isShared
    handler.isCut = !isAhead && !(isDue && slots > 0)
    if (handler.isCut) {
      if (!isDue) handler.claiming.set(nextDue)
      return undefined
    }
    handler.low = END
    const { most, bytes } = isAhead ? room : { most: slots, bytes: MOST_BYTES }
    return { name, low, horizon: isAhead ? usual : 0, most: Math.min(most, MOST), bytes }
  }

  function answered(handler: Handler, { low, horizon }: ClaimOf, claimed: ClaimedOf): void {
    const { rows, upTo, isCut, hasSkipped, next } = claimed
    for (const row of rows) held.add(row)
    const now = clock.now()
    handler.low = earlier(handler.low, hasSkipped ? low : upTo)
    if (hasSkipped) handler.claiming.set(now + LOCKED)
    const isAhead = horizon === usual
    // Of a name of which much is held, it looks when the next row is due.
    if (isCut || (!isAhead && handler.room.most === 0)) handler.isCut = true
    else if (!isAhead && !hasSkipped) {
      handler.caughtUp = upTo
      return want(handler)
    }
    if (isCut) {
      handler.lookForRoom()
      handler.claiming.set(handler.nextDue)
    }
    const ahead = (next ?? Number.POSITIVE_INFINITY) - (isAhead ? usual / 2 : 0)
    handler.claiming.set(Math.min(now + pause, Math.max(ahead, now + SOON)))
  }

  const claims = {
    /** Fulfilled when no claim is under way; undefined: none is. */
    busy: undefined as Promise<void> | undefined,
    ...{ holder, stored, want },
  }
  return claims
}
