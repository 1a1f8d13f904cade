/** The backend in virtual time: the clock of the wheel moves only in `advance` and `runAll`. */

import { checkEndOfTime, endless, insideCallback } from '../../common/errors.js'
import type { Core } from '../../memory/core.js'
import { ARMED, BUSY, NOW, REFERENCED, SUBMITTED, UNREFERENCED, WAKE } from '../../memory/layout.js'
import type { Backend, Client } from './backend.js'
import { needStack } from './stack.js'

/** The name of the method that is on the stack while virtual time moves. */
const RUN = 'moveVirtualTime'

/** Whether a function of this name is on the stack; true if the engine does not tell. */
function isOnStack(name: string): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY
    Error.prepareStackTrace = undefined as never
    return new Error(name).stack?.split('\n').slice(1).join('\n').includes(name) ?? true
  } catch {
    // The program has frozen `Error`.
    return true
  } finally {
    Error.stackTraceLimit = stackTraceLimit
    Error.prepareStackTrace = prepareStackTrace
  }
}

export class VirtualTimeBackend implements Backend {
  readonly core: Core
  readonly #tick: number
  readonly #client: Client
  /** Runs next ticks and microtasks, if the host has a function for it. */
  readonly #drain: (() => void) | undefined
  /** Virtual time, in milliseconds. */
  #now = 0
  #running = false
  /** A callback threw before all due timers had run. */
  #interrupted = false
  #closed = false
  /** The number of callbacks that can run in a call, and the number that have run. */
  #limit = 0
  #ran = 0

  constructor(core: Core, tick: number, client: Client, drain: (() => void) | undefined) {
    this.core = core
    this.#tick = tick
    this.#client = client
    this.#drain = drain
  }

  now(): number {
    return this.#now / this.#tick
  }

  openEpoch(): void {
    this.core.openEpoch(this.#now / this.#tick)
  }

  takeSubmissions(): void {
    this.core.takeSubmissions()
  }

  dueTick(): number {
    return Math.floor(this.core.reals[NOW]!)
  }

  advance(target: number): number {
    return this.core.advance(target)
  }

  hold(): void {}

  idle(): void {}

  hostResources(): string[] {
    return []
  }

  close(): void {
    this.#closed = true
  }

  /**
   * Lets `ms` milliseconds pass. The clock stops at each deadline, so that callbacks see the time at which they are due. If
   * a callback throws, the clock stays at its deadline, and the next call runs the rest.
   */
  run(ms: number): void {
    this.#checkOutside()
    const end = this.#now + ms
    checkEndOfTime(end)
    this.#runTo(end, Number.POSITIVE_INFINITY)
    if (!this.#closed) this.#now = end
  }

  /** Lets time pass until nothing is pending. Throws if timers are left after `limit` callbacks. */
  runAll(limit: number): void {
    this.#checkOutside()
    this.#runTo(Number.POSITIVE_INFINITY, limit)
  }

  /** Throws inside a callback. A `vm` timeout skips the `finally` of a run and leaves `#running` set: the stack decides. */
  #checkOutside(): void {
    if (this.#running && isOnStack(RUN)) throw insideCallback()
    // The run also runs microtasks of other wheels, which set timers of the host.
    needStack()
  }

  #runTo(end: number, limit: number): void {
    this.#client.recover()
    this.#running = true
    this.#limit = limit
    this.#ran = 0
    try {
      this[RUN](end)
    } finally {
      this.#running = false
    }
  }

  [RUN](end: number): void {
    if (this.#interrupted) this.#runDue()
    for (;;) {
      const next = this.#nextWake()
      if (next === Number.POSITIVE_INFINITY || next > end) break
      this.#checkLimit()
      this.#now = Math.max(this.#now, next)
      this.#runDue()
    }
  }

  #runDue(): void {
    const client = this.#client
    this.#interrupted = true
    for (let more = true; more; ) {
      this.#checkLimit()
      // With a budget of 0 a slice runs at most one callback.
      more = client.dispatch()
      if (!client.isUndrained || this.#closed) continue
      this.#ran++
      this.#drain?.()
    }
    this.#interrupted = false
  }

  #checkLimit(): void {
    const { words } = this.core
    const pending = words[REFERENCED]! + words[UNREFERENCED]!
    if (this.#ran >= this.#limit && pending > 0) throw endless(this.#limit, pending)
  }

  /** The next time at which a timer can be due, in milliseconds, or Infinity. */
  #nextWake(): number {
    const { core } = this
    if (this.#closed) return Number.POSITIVE_INFINITY
    const now = this.#now / this.#tick
    core.closeEpoch(now)
    this.#client.epochEnd = 0
    if (core.words[SUBMITTED] !== 0 || core.words[BUSY] !== 0) core.takeSubmissions()
    if (core.words[ARMED] === 0) return Number.POSITIVE_INFINITY
    const tick = Math.floor(now)
    const ahead = (core.words[WAKE]! - (tick | 0)) | 0
    // At the end of virtual time, the sum can round to `tick` itself.
    if (ahead > 0 && tick + ahead === tick) return Number.POSITIVE_INFINITY
    return (tick + ahead) * this.#tick
  }
}
