/**
 * Wakes a wheel by one timer of the host, set for the next deadline. Used where the core cannot have a timer of its own:
 * WebAssembly. Submissions are taken in a microtask, once for all the timers that a stretch of code has set.
 */
import type { Backend, Client, Core } from '../backend.js'
import type { Host, HostTimer } from '../host.js'
import { ARMED, HELD, REFERENCED, SUBMITTED, UNREFERENCED, WAKE } from '../memory.js'

const MAX_HOST_DELAY = 2 ** 31 - 1
const resolved = Promise.resolve()

export class HostBackend implements Backend {
  readonly core: Core
  readonly #host: Host
  readonly #tick: number
  readonly #client: Client
  readonly #origin: number
  #timer: HostTimer | undefined
  /** The timer that fired last. While its callback runs, Node counts it; after that it has no reference. */
  #waking: HostTimer | undefined
  /** When the timer is due, on the host's clock. */
  #timerDue = Number.POSITIVE_INFINITY
  /** A slice of work that waits for its turn. */
  #continuation: HostTimer | undefined
  #flushing = false
  #closed = false

  constructor(core: Core, host: Host, tick: number, client: Client) {
    this.core = core
    this.#host = host
    this.#tick = tick
    this.#client = client
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
    const resources = []
    for (const timer of [this.#timer, this.#waking]) if (timer?.hasRef?.()) resources.push('Timeout')
    if (this.#continuation?.hasRef?.()) resources.push('Immediate')
    return resources
  }

  close(): void {
    this.#closed = true
    if (this.#timer !== undefined) this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #flushLater(): void {
    if (this.#flushing) return
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
      const due = this.#host.now() + delay
      // A timer that is due earlier already will do: it finds nothing, and is set again.
      if (this.#timer === undefined || due < this.#timerDue) {
        if (this.#timer !== undefined) this.#host.clearTimeout(this.#timer)
        this.#timerDue = due
        this.#timer = this.#host.outside(() => this.#host.setTimeout(this.#wake, Math.ceil(delay)))
      }
    }
    this.#keepAlive(this.#timer)
    this.#keepAlive(this.#continuation)
  }

  #keepAlive(timer: HostTimer | undefined): void {
    if (this.core.words[REFERENCED]! > 0) timer?.ref?.()
    else timer?.unref?.()
  }

  readonly #wake = (): void => {
    this.#waking = this.#timer
    this.#timer = undefined
    this.#timerDue = Number.POSITIVE_INFINITY
    // What is left over has its turn coming.
    if (this.#continuation === undefined) this.#run()
    else this.#arm()
  }

  readonly #continue = (): void => {
    this.#continuation = undefined
    this.#run()
  }

  #run(): void {
    if (this.#closed) return
    // Until it is known better: a callback that throws leaves the rest to be run.
    let more = true
    try {
      more = this.#client.dispatch()
    } finally {
      if (!this.#closed) {
        if (more) this.#continuation = this.#host.outside(() => this.#host.soon(this.#continue))
        this.#flush()
      }
    }
  }
}
