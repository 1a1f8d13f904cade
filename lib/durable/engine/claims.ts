/**
 * When this process claims which rows.
 *
 * Each name has a position `low`: all free rows up to it were claimed. If free rows may have come before it since, or were passed over, it
 * goes back. The next claim begins there.
 *
 * A process holds at most `prefetch` rows of a name before they are due. When half of them have started, it claims the next. Until then, it
 * claims rows of the name only when they are due, and no more than the handler can start at once. So it does, too, if other processes live
 * and rows are due already, because all of them run those.
 */
import { outside } from '../common/context.js'
import {
  after,
  type ClaimedOf,
  type ClaimOf,
  earlier,
  FAILED,
  isBefore,
  type Position,
  type Row,
  START,
} from '../common/store.js'
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

interface ClaimOptions {
  horizon: number
  /** The longest time between two claims. */
  pause: number
}

export class Claims {
  count = 0
  readonly #lease: Lease
  readonly #options: ClaimOptions
  readonly #wanted = new Set<Handler>()
  /** Fulfilled when no claim is under way; undefined: none is. */
  busy: Promise<void> | undefined

  constructor(lease: Lease, options: ClaimOptions) {
    this.#lease = lease
    this.#options = options
  }

  /** A row of a name that is due at this time may be free. */
  expect(name: string, due: number): void {
    const handler = this.#lease.held.handlers.get(name)
    if (handler === undefined || due >= FAILED) return
    const before = after(due - 1)
    if (isBefore(before, handler.low)) {
      handler.low = before
      this.want(handler)
    } else handler.claiming.set(due - this.#options.horizon / 2)
  }

  /** Looks at all names from the first row on. */
  sweep(): void {
    for (const handler of this.#lease.held.handlers.values()) {
      handler.low = START
      this.want(handler)
    }
  }

  /** The number under which this process would hold a timer, beside so many others; 0: it would not. */
  holder(name: string, due: number, others = 0): number {
    const { clock, held, background, others: processes, isAlive, owner } = this.#lease
    const handler = held.handlers.get(name)
    const now = clock.now()
    const holds =
      handler?.isActive === true &&
      handler.room.most > others &&
      !background.isClosing &&
      due <= now + this.#options.horizon &&
      // Those that are due before it wait to be claimed.
      !(handler.isCut && due > handler.low[0]) &&
      // Another process may have room.
      (processes === 0 || due > now || handler.slots > -handler.options.concurrency) &&
      isAlive
    return holds ? owner : 0
  }

  /** A row was stored with this owner. */
  stored(row: Row, owner: number): void {
    const { held, owner: own } = this.#lease
    if (owner !== 0 && owner === own) held.add(row)
    else this.expect(row.name, row.due)
  }

  want(handler: Handler): void {
    this.#wanted.add(handler)
    this.busy ??= outside(() => this.#run())
  }

  async #run(): Promise<void> {
    // So that the rows that a turn expects share a claim.
    await new Promise(setImmediate)
    while (this.#wanted.size > 0 && !this.#lease.background.isClosing) {
      const handlers = [...this.#wanted]
      this.#wanted.clear()
      // A new lease makes the next claim.
      if (this.#lease.isAlive) await this.#claim(handlers)
    }
    this.busy = undefined
  }

  async #claim(handlers: readonly Handler[]): Promise<void> {
    const lease = this.#lease
    const asked = new Map<Handler, ClaimOf>()
    for (const handler of handlers) {
      const one = this.#claimOf(handler)
      if (one !== undefined) asked.set(handler, one)
    }
    if (asked.size === 0) return
    this.count++
    const names = [...asked.values()]
    const fail = (wait: number): void => {
      for (const [handler, { low }] of asked) {
        handler.low = earlier(handler.low, low)
        handler.claiming.set(lease.clock.now() + wait)
      }
    }
    try {
      await lease.ask(
        'claim',
        (owner) => ({ owner, names }),
        (claimed, owner) => {
          if (owner === lease.owner && claimed !== null) {
            for (const [i, handler] of [...asked.keys()].entries())
              this.#answered(handler, names[i]!, claimed[i]!)
            return
          }
          fail(WAIT)
          if (owner === lease.owner) lease.lapse()
        },
      )
    } catch (error) {
      lease.background.report(error)
      fail(WAIT)
    }
  }

  /** What is to be claimed of a name now. */
  #claimOf(handler: Handler): ClaimOf | undefined {
    if (!handler.isActive) return undefined
    const { name, low, nextDue, room } = handler
    const now = this.#lease.clock.now()
    const isDue = nextDue <= now
    // Of what is due already, other processes have their share.
    const isShared = this.#lease.others > 0 && nextDue < now - SHARED
    const isAhead = room.most > 0 && !isShared
    if (!isAhead && !(isDue && handler.slots > 0)) {
      handler.isCut = true
      if (!isDue) handler.claiming.set(nextDue)
      return undefined
    }
    handler.isCut = false
    handler.low = END
    if (!isAhead) return { name, low, horizon: 0, most: Math.min(handler.slots, MOST), bytes: MOST_BYTES }
    return {
      ...{ name, low, horizon: this.#options.horizon },
      ...{ most: Math.min(room.most, MOST), bytes: room.bytes },
    }
  }

  #answered(
    handler: Handler,
    { low, horizon }: ClaimOf,
    { rows, upTo, isCut, hasSkipped, next }: ClaimedOf,
  ): void {
    const { pause, horizon: usual } = this.#options
    const { clock, held } = this.#lease
    for (const row of rows) held.add(row)
    const now = clock.now()
    handler.low = earlier(handler.low, hasSkipped ? low : upTo)
    if (hasSkipped) handler.claiming.set(now + LOCKED)
    // Of a name of which much is held, it looks when the next row is due.
    const isAhead = horizon === usual
    if (isCut || !isAhead) handler.isCut = true
    if (isCut) {
      handler.lookForRoom()
      handler.claiming.set(handler.nextDue)
    }
    const ahead = (next ?? Number.POSITIVE_INFINITY) - (isAhead ? usual / 2 : 0)
    handler.claiming.set(Math.min(now + pause, Math.max(ahead, now + SOON)))
  }
}
