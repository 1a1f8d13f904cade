/**
 * When this process claims which rows.
 *
 * Each name has a position `low`: all free rows up to it were claimed. If free rows may have come before it since, or were passed over,
 * `back` is the position after which they lie. The next claim begins there.
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
import type { Background } from './background.js'
import type { Clock } from './clock.js'
import type { Handler } from './handler.js'
import type { Lease } from './lease.js'

/** The most rows of a claim: it must not keep the thread of the database busy. */
const MOST = 1_000
/** Before a claim that has failed is tried again, in milliseconds. */
const WAIT = 1_000
/** Between two claims of a name of which much is held, and before rows are looked at again that another transaction has locked. */
const SOON = 20
const LOCKED = 100
/** Rows that have been due for longer than this are shared with other processes, in milliseconds. */
const SHARED = 50

interface ClaimOptions {
  horizon: number
  /** The longest time between two claims. */
  pause: number
}

/** When the first row after a position can be due. */
const startOf = ([due, id]: Position): number => (id === '~' ? due + 1 : due)

export class Claims {
  count = 0
  readonly #clock: Clock
  readonly #lease: Lease
  readonly #handlers: ReadonlyMap<string, Handler>
  readonly #background: Background
  readonly #options: ClaimOptions
  readonly #send: (
    names: ClaimOf[],
    done: (claimed: ClaimedOf[] | null, owner: number) => void,
  ) => Promise<void>
  readonly #claimed: (row: Row) => void
  readonly #wanted = new Set<string>()
  #running: Promise<void> | undefined
  #isStopped = false

  /**
   * @param send sends a claim, and calls back with the answer
   * @param claimed a row is this process's own now
   */
  constructor(
    parts: { clock: Clock; lease: Lease; handlers: ReadonlyMap<string, Handler>; background: Background },
    options: ClaimOptions,
    send: (names: ClaimOf[], done: (claimed: ClaimedOf[] | null, owner: number) => void) => Promise<void>,
    claimed: (row: Row) => void,
  ) {
    this.#clock = parts.clock
    this.#lease = parts.lease
    this.#handlers = parts.handlers
    this.#background = parts.background
    this.#options = options
    this.#send = send
    this.#claimed = claimed
  }

  get isIdle(): boolean {
    return this.#running === undefined
  }

  /** A row of a name that is due at this time may be free. */
  expect(name: string, due: number): void {
    const handler = this.#handlers.get(name)
    if (handler === undefined || due >= FAILED) return
    const before = after(due - 1)
    if (isBefore(before, handler.low) || !this.isIdle) {
      handler.back = earlier(before, handler.back ?? before)
      this.#want(name)
    } else this.#planAt(name, handler, due - this.#options.horizon / 2)
  }

  /** Looks at all names from the first row on. */
  sweep(): void {
    for (const [name, handler] of this.#handlers) {
      handler.back = START
      this.#want(name)
    }
  }

  /** Less of a name is held than before. */
  hasRoom(name: string): void {
    const handler = this.#handlers.get(name)
    if (handler?.isCut !== true) return
    const isDue = startOf(handler.position) <= this.#clock.now()
    if (handler.room.most > 0 || (isDue && handler.slots > 0)) this.#want(name)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.whenIdle()
  }

  /** Fulfilled when no claim is under way. */
  async whenIdle(): Promise<void> {
    await this.#running
  }

  #planAt(name: string, handler: Handler, time: number): void {
    if (
      this.#isStopped ||
      time === Number.POSITIVE_INFINITY ||
      (handler.plan !== undefined && handler.plan.time <= time)
    )
      return
    if (handler.plan !== undefined) this.#clock.clear(handler.plan.id)
    const run = (): void => {
      handler.plan = undefined
      this.#want(name)
    }
    handler.plan = { id: this.#clock.at(time, run, undefined), time }
  }

  /** The clock was set: the next claims are planned for wrong times. */
  planAgain(): void {
    for (const handler of this.#handlers.values()) {
      if (handler.plan !== undefined) this.#clock.clear(handler.plan.id)
      handler.plan = undefined
    }
    this.sweep()
  }

  #want(name: string): void {
    this.#wanted.add(name)
    this.#running ??= outside(() => this.#run())
  }

  async #run(): Promise<void> {
    // So that the rows that a turn expects share a claim.
    await new Promise(setImmediate)
    while (this.#wanted.size > 0 && !this.#isStopped) {
      const names = [...this.#wanted]
      this.#wanted.clear()
      await this.#claim(names)
    }
    this.#running = undefined
  }

  async #claim(names: string[]): Promise<void> {
    // A new lease makes the next claim.
    if (!this.#lease.isAlive) return
    const asked = names.flatMap((name) => this.#claimOf(name, this.#handlers.get(name)!) ?? [])
    if (asked.length === 0) return
    this.count++
    const fail = (wait: number): void => {
      for (const { name, low } of asked) {
        const handler = this.#handlers.get(name)!
        handler.back = earlier(low, handler.back ?? low)
        if (wait > 0) this.#planAt(name, handler, this.#clock.now() + wait)
      }
    }
    try {
      await this.#send(asked, (claimed, owner) => {
        if (owner !== this.#lease.owner) return fail(0)
        if (claimed === null) {
          fail(0)
          return this.#lease.lapse()
        }
        for (const [i, one] of asked.entries()) this.#answered(one, claimed[i]!)
      })
    } catch (error) {
      this.#background.report(error)
      fail(WAIT)
    }
  }

  /** What is to be claimed of a name now. */
  #claimOf(name: string, handler: Handler): ClaimOf | undefined {
    if (!handler.isActive) return undefined
    const low = handler.position
    const start = startOf(low)
    const now = this.#clock.now()
    const isDue = start <= now
    const { bytes, ...room } = handler.room
    // Of what is due already, other processes have their share.
    const most = this.#lease.others > 0 && start < now - SHARED ? 0 : room.most
    if (most === 0 && !(isDue && handler.slots > 0)) {
      handler.isCut = true
      if (!isDue) this.#planAt(name, handler, start)
      return undefined
    }
    handler.isCut = false
    handler.back = undefined
    if (most === 0) return { name, low, horizon: 0, most: Math.min(handler.slots, MOST), bytes: 2 ** 20 }
    return { name, low, horizon: this.#options.horizon, most: Math.min(most, MOST), bytes }
  }

  #answered({ name, low, horizon }: ClaimOf, { rows, upTo, isCut, hasSkipped, next }: ClaimedOf): void {
    const { pause, horizon: usual } = this.#options
    const handler = this.#handlers.get(name)!
    for (const row of rows) this.#claimed(row)
    const now = this.#clock.now()
    if (isBefore(upTo, handler.low)) handler.back = earlier(upTo, handler.back ?? upTo)
    else handler.low = upTo
    if (isCut) {
      handler.isCut = true
      this.hasRoom(name)
      this.#planAt(name, handler, startOf(upTo))
    }
    if (hasSkipped) {
      handler.back = earlier(low, handler.back ?? low)
      this.#planAt(name, handler, now + LOCKED)
    }
    // Of a name of which much is held, it looks when the next row is due.
    if (horizon < usual) handler.isCut = true
    const ahead = (next ?? Number.POSITIVE_INFINITY) - (horizon < usual ? 0 : usual / 2)
    this.#planAt(name, handler, Math.min(now + pause, Math.max(ahead, now + SOON)))
  }
}
