/**
 * Drives a wheel by the host's event loop: an alarm set for the next deadline wakes it, and it runs in turns what is due.
 * Used where the core cannot have a timer of its own: WebAssembly. Submissions are taken in a microtask, once for all the
 * timers that a stretch of code has set.
 */
import type { Backend, Client, Core } from '../backend.js'
import type { Host } from '../host.js'
import { ARMED, HELD, NOW, REFERENCED, SUBMITTED, UNREFERENCED, WAKE } from '../memory.js'
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
  /** A slice is being run: it ends with a flush, whatever its callbacks and their microtasks set. */
  #inSlice = false
  #flushing = false
  #closed = false

  constructor(core: Core, host: Host, tick: number, client: Client) {
    this.core = core
    this.#host = host
    this.#tick = tick
    this.#client = client
    this.#turns = new Turns(host, this.#onTurn)
    this.#alarm = new Alarm(host, this.#onAlarm)
    this.#origin = host.now()
  }

  #now(): number {
    return (this.#host.now() - this.#origin) / this.#tick
  }

  openEpoch(): void {
    this.core.openEpoch(this.#now())
    this.#flushLater()
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

  hold(): void {
    const { words } = this.core
    words[HELD] = words[REFERENCED]! > 0 ? 2 : 1
    this.#flushLater()
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
    if (this.#flushing || this.#inSlice) return
    this.#flushing = true
    resolved.then(this.#flush)
  }

  readonly #flush = (): void => {
    this.#flushing = false
    if (this.#closed) return
    this.core.closeEpoch(this.#now())
    this.#client.epochEnd = 0
    const { words } = this.core
    if (words[SUBMITTED] !== 0) this.core.takeSubmissions()
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
    this.#turns.startSoon()
  }

  // These two are what the host calls, and call `dispatch` themselves: each frame below it is one that V8 does not keep of
  // the program's.

  readonly #onAlarm = (): void => {
    this.#alarm.fired()
    this.#alarmDue = Number.POSITIVE_INFINITY
    // What is left over has its turn coming.
    if (this.#isRunning) return this.#arm()
    this.#isRunning = true
    // Until it is known better: a callback that throws leaves the rest to be run.
    let more = true
    this.#inSlice = true
    try {
      more = this.#client.dispatch()
    } finally {
      this.#endSlice(more)
    }
  }

  readonly #onTurn = (): void => {
    this.#turns.started()
    if (this.#closed) return
    let more = true
    this.#inSlice = true
    try {
      more = this.#client.dispatch()
    } finally {
      this.#endSlice(more)
    }
  }

  #endSlice(more: boolean): void {
    this.#inSlice = false
    this.#isRunning = more && !this.#closed
    if (this.#closed) return
    if (more) this.#turns.goOn()
    // It may start anew: what is due next is no part of this.
    this.#flush()
  }
}
