/**
 * Drives a wheel by the host's event loop: an alarm set for the next deadline wakes it, and it runs in turns what is due.
 * Used where the core cannot have a timer of its own: WebAssembly. Submissions are taken in a microtask, once for all the
 * timers that a stretch of code has set.
 */
import type { Backend, Client, Core } from '../backend.js'
import type { Host } from '../host.js'
import { ARMED, BUSY, HELD, NOW, REFERENCED, SUBMITTED, UNREFERENCED, WAKE } from '../memory.js'
import { Alarm, MAX_HOST_DELAY } from './alarm.js'
import { Turns } from './turns.js'

const resolved = Promise.resolve()

export class HostBackend implements Backend {
  readonly core: Core
  readonly #host: Host
  readonly #tick: number
  readonly #client: Client
  readonly #turns: Turns
  readonly #alarm: Alarm
  readonly #origin: number
  /** When the alarm is due, on the host's clock. */
  #alarmDue = Number.POSITIVE_INFINITY
  /** What is due is being run, slice by slice. */
  #isRunning = false
  #flushing = false
  #closed = false

  constructor(core: Core, host: Host, tick: number, client: Client) {
    this.core = core
    this.#host = host
    this.#tick = tick
    this.#client = client
    this.#turns = new Turns(host)
    this.#alarm = new Alarm(host, () => this.#wake())
    this.#origin = host.now()
  }

  #now(): number {
    return (this.#host.now() - this.#origin) / this.#tick
  }

  now(): number {
    this.#flushLater()
    return this.#now()
  }

  openEpoch(): void {
    this.#flushLater()
    this.core.openEpoch(this.#now())
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

  hold(held: number): void {
    this.#flushLater()
    this.core.words[HELD] = held
  }

  idle(): void {
    this.#flushLater()
  }

  hostResources(): string[] {
    return [...this.#alarm.resources(), ...this.#turns.resources()]
  }

  close(): void {
    this.#closed = true
    this.#alarm.close()
  }

  #flushLater(): void {
    if (this.#flushing) return
    // In this order: an interruption must not leave a flush that never comes.
    resolved.then(this.#flush)
    this.#flushing = true
  }

  readonly #flush = (): void => {
    this.#flushing = false
    if (this.#closed) return
    this.core.closeEpoch(this.#now())
    this.#client.epochEnd = 0
    const { words } = this.core
    if (words[SUBMITTED] !== 0 || words[BUSY] !== 0) this.core.takeSubmissions()
    words[HELD] = words[REFERENCED]! > 0 ? 2 : words[UNREFERENCED]! > 0 ? 1 : 0
    this.#arm()
  }

  #arm(): void {
    const { words } = this.core
    if (words[ARMED] !== 0) {
      const now = this.#now()
      const ahead = (words[WAKE]! - (Math.floor(now) | 0)) | 0
      const delay = Math.min(Math.max((Math.floor(now) + ahead - now) * this.#tick, 0), MAX_HOST_DELAY)
      if (delay === 0) this.#startSoon()
      // An alarm that is due earlier already will do: it finds nothing, and is set again.
      else this.#setAlarm(this.#host.now() + delay)
    }
    const isHeld = words[REFERENCED]! > 0
    this.#alarm.hold(isHeld)
    this.#turns.hold(isHeld)
  }

  #setAlarm(due: number): void {
    if (due >= this.#alarmDue) return
    this.#alarmDue = due
    this.#alarm.set(due)
  }

  /** Something is due already: an alarm would go off in a millisecond. */
  #startSoon(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#turns.startSoon(this.#slice)
  }

  #wake(): void {
    this.#alarmDue = Number.POSITIVE_INFINITY
    // What is left over has its turn coming.
    if (this.#isRunning) this.#arm()
    else {
      this.#isRunning = true
      this.#turns.start(this.#slice)
    }
  }

  readonly #slice = (): boolean => {
    if (this.#closed) return false
    // Until it is known better: a callback that throws leaves the rest to be run.
    let more = true
    try {
      more = this.#client.dispatch()
    } finally {
      if (this.#closed) more = false
      this.#isRunning = more
      // It may start anew: what is due next is no part of this.
      if (!more && !this.#closed) this.#flush()
    }
    return more
  }
}
