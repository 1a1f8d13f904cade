/**
 * When this process claims which rows.
 *
 * A claim looks at the rows after a position, `low`, up to the horizon. All that could be claimed before that position has been claimed. If a
 * row may have come there since, `expect` moves the position back. Claims look further ahead twice in a horizon. A claim starts at
 * the first row each time the lease is prolonged, because the timers of a dead process can have any due time.
 *
 * If `maxHeld` timers wait here, or have ended without an acknowledgement yet, `isCut` says that more could be claimed. Claims go on when
 * half of them have started. A timer that is due before the latest that is held cannot wait so long: for its sake the later half is given
 * back.
 */

import { outside } from '../common/context.js'
import { after, type Claim, type Claimed, FAILED, type Position, type Row, START } from '../common/store.js'
import { setImmediate } from '../common/time.js'
import type { Background } from './background.js'
import type { Clock } from './clock.js'
import type { Held } from './held.js'
import type { Lease } from './lease.js'

/** The most rows of a claim: it must not keep the thread of the database busy. */
const MOST = 1_000
/** Before a claim that has failed is tried again, in milliseconds. */
const WAIT = 1_000

interface ClaimOptions {
  horizon: number
  maxHeld: number
  /** The longest time between two claims. */
  pause: number
}

interface ClaimEvents {
  /** Sends a claim, and calls back with the answer. */
  claim(claim: Claim, done: (claimed: Claimed) => void): Promise<void>
  names(): string[]
  /** A row is this process's own now. */
  claimed(row: Row, owner: number): void
  /** Gives back timers that wait. */
  shed(due: number): Promise<void>
}

export class Claims {
  count = 0
  readonly #clock: Clock
  readonly #lease: Lease
  readonly #held: Held
  readonly #background: Background
  readonly #options: ClaimOptions
  readonly #events: ClaimEvents
  #low = START
  /** The least due time of rows that may have come before `low`. */
  #expected = -1
  #isCut = false
  /** How many rows the claim that is under way may bring. */
  #coming = 0
  #isWanted = false
  #running: Promise<void> | undefined
  /** The claim whose answer is under way. */
  #answer: Promise<void> | undefined
  #isStopped = false
  #plan: { id: number; time: number } | undefined

  constructor(
    clock: Clock,
    lease: Lease,
    held: Held,
    background: Background,
    options: ClaimOptions,
    events: ClaimEvents,
  ) {
    this.#clock = clock
    this.#lease = lease
    this.#held = held
    this.#background = background
    this.#options = options
    this.#events = events
  }

  get isIdle(): boolean {
    return this.#running === undefined
  }

  get coming(): number {
    return this.#coming
  }

  /** Whether rows that are due before this time wait to be claimed, as far as is known. */
  hasBefore(due: number): boolean {
    return this.#isCut && due > this.#low[0]
  }

  /** A row that is due at this time may be claimable. */
  expect(due: number): void {
    if (due >= FAILED) return
    if (due > this.#low[0] && this.isIdle) return this.#planAt(due - this.#options.horizon / 2)
    this.#expected = Math.min(this.#expected, due)
    this.#want()
  }

  /** Looks from the first row on. */
  sweep(): void {
    this.expect(-1)
  }

  /** Fewer timers wait than before. */
  hasRoom(): void {
    const { maxHeld } = this.#options
    if (this.#isCut && this.#held.waits * 2 <= maxHeld && this.#held.ends <= maxHeld) this.#want()
  }

  /** Fulfilled when the claim that is under way, if any, has been answered. */
  async whenAnswered(): Promise<void> {
    await this.#answer
  }

  /** Fulfilled when no claim is under way. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  #planAt(time: number): void {
    if (this.#isStopped || (this.#plan !== undefined && this.#plan.time <= time)) return
    if (this.#plan !== undefined) this.#clock.clear(this.#plan.id)
    this.#plan = { id: this.#clock.at(time, this.#planned, undefined), time }
  }

  readonly #planned = (): void => {
    this.#plan = undefined
    this.#want()
  }

  /** The clock was set: the next claim is planned for a wrong time. */
  planAgain(): void {
    if (this.#plan !== undefined) this.#clock.clear(this.#plan.id)
    this.#plan = undefined
    this.sweep()
  }

  #want(): void {
    this.#isWanted = true
    this.#running ??= outside(() => this.#run())
  }

  async #run(): Promise<void> {
    // So that the rows that a turn expects share a claim.
    await new Promise(setImmediate)
    while (this.#isWanted && !this.#isStopped) {
      this.#isWanted = false
      try {
        await this.#claim()
      } catch (error) {
        this.#background.report(error)
        this.#expected = -1
        this.#isCut = true
        this.#planAt(this.#clock.now() + WAIT)
        break
      }
    }
    this.#running = undefined
  }

  async #claim(): Promise<void> {
    const { horizon, maxHeld, pause } = this.#options
    const names = this.#events.names()
    const owner = this.#lease.number
    // A handler, or a new lease, makes the next claim.
    if (names.length === 0 || !this.#lease.isAlive) {
      this.#expected = -1
      return
    }
    // Handlers end more quickly than they can be acknowledged.
    if (this.#held.ends > maxHeld) {
      this.#isCut = true
      return
    }
    const low = this.#takeLow()
    const isHalfFull = this.#held.waits * 2 > maxHeld
    if (isHalfFull && low[0] >= this.#held.latest) {
      this.#isCut = true
      return
    }
    if (this.#held.waits >= maxHeld) await this.#events.shed(low[0])
    const most = Math.min(maxHeld - this.#held.waits - this.#held.reserved, MOST)
    if (most <= 0) {
      this.#isCut = true
      return
    }
    const bound = isHalfFull ? Math.max(this.#held.latest, low[0] + 1) : FAILED - 1
    this.count++
    this.#coming = most
    const answer = this.#events.claim({ owner, names, low, horizon, bound, most }, (claimed) => {
      this.#coming = 0
      if (!claimed.isAlive || owner !== this.#lease.number) {
        this.#expected = -1
        this.#isCut = true
        if (owner === this.#lease.number) this.#lease.lapse()
        return
      }
      for (const row of claimed.rows) this.#events.claimed(row, owner)
      this.#low = claimed.upTo
      this.#isCut = claimed.isCut || isHalfFull
      if (claimed.isCut) this.#isWanted = true
      // Nothing may have come for those that were given back, so that no start would bring the next claim.
      else this.hasRoom()
      this.#planAt(Math.min(this.#clock.now() + pause, (claimed.next ?? Infinity) - horizon / 2))
    })
    this.#answer = answer.catch(() => {})
    try {
      await answer
    } finally {
      this.#coming = 0
    }
  }

  #takeLow(): Position {
    if (this.#expected <= this.#low[0]) this.#low = after(this.#expected - 1)
    this.#expected = Infinity
    return this.#low
  }
}
