/** Virtual time: a wheel that runs only when it is told how much time has passed. */

import { checkEndOfTime, endless, insideCallback } from '../../common/errors.js'
import type { Core } from '../../memory/core.js'
import { ARMED, BUSY, NOW, REFERENCED, SUBMITTED, UNREFERENCED, WAKE } from '../../memory/layout.js'
import type { Backend, Client } from './backend.js'
import { needStack } from './stack.js'

/** The name of the function that is on the stack while virtual time is being moved. */
const RUN = 'moveVirtualTime'

/** Whether a function of this name is being called, as far as the engine tells; if it does not, it is taken for so. */
function isOnStack(name: string): boolean {
  const { stackTraceLimit, prepareStackTrace } = Error
  try {
    Error.stackTraceLimit = Number.POSITIVE_INFINITY
    Error.prepareStackTrace = undefined as never
    return new Error(name).stack?.split('\n').slice(1).join('\n').includes(name) ?? true
  } catch {
    // A program has frozen what it takes.
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
  /** Runs next ticks and microtasks, where the host has a call for it. */
  readonly #drain: (() => void) | undefined
  /** Virtual time, in milliseconds. */
  #now = 0
  #running = false
  /** A callback threw before all that is due had run. */
  #interrupted = false
  #closed = false
  /** How many callbacks may run in a call, and have run. */
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
   * Lets `ms` milliseconds pass, stopping at each deadline on the way so that callbacks see the time they are due at.
   * Where a callback throws, time stands at its deadline, and the rest is left for the next call.
   */
  run(ms: number): void {
    this.#checkOutside()
    const end = this.#now + ms
    checkEndOfTime(end)
    this.#runTo(end, Number.POSITIVE_INFINITY)
    if (!this.#closed) this.#now = end
  }

  /** Lets time pass until nothing is pending, or `limit` callbacks have run and there are still timers: then it throws. */
  runAll(limit: number): void {
    this.#checkOutside()
    this.#runTo(Number.POSITIVE_INFINITY, limit)
  }

  /** A `vm` timeout ends a run without its `finally`: then the mark is left, and only the stack tells. */
  #checkOutside(): void {
    if (this.#running && isOnStack(RUN)) throw insideCallback()
    // It runs the microtasks of other wheels as well, which set timers of the host.
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
      // With its budget of 0 it runs one callback at most.
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

  /** When something may be due, in milliseconds, or Infinity. */
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
    // At the end of time a sum may be no more than what it is of.
    if (ahead > 0 && tick + ahead === tick) return Number.POSITIVE_INFINITY
    return (tick + ahead) * this.#tick
  }
}
