/** The clock of an open store, on a wheel of its own: it calls back at times of the database's clock. */
import { TimerWheel } from 'timeout-wheel'
import { monotonic } from '../common/time.js'

/** If the clock is set by this many milliseconds, all is planned anew. */
const SHIFT = 20
/** How long a turn of the event loop passes on timers that are due, in milliseconds: other work of the store follows in the same turn. */
const BUDGET = 3
/** The longest wait of a wheel, in milliseconds. */
const LONGEST = 2 ** 31 - 1

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** The least time that it can be. Nothing starts before that, so that nothing is early. */
  least(): number
  /** Milliseconds on a clock that cannot be set. */
  monotonic(): number
  /** Calls back after some milliseconds. It can be too early, so the callback looks at the clock. */
  after(ms: number, callback: () => void): number
  clear(id: number): void
  /** Calls back when the clock has been set. */
  onSet(callback: () => void): void
  stop(): void
}

/** The time of a store, which can be set forwards or backwards. */
export class SystemClock implements Clock {
  readonly monotonic = monotonic
  readonly #source: Pick<Clock, 'now' | 'least'>
  readonly #wheel: TimerWheel
  #offset: number
  #wasSet: () => void = () => {}

  constructor(source: Pick<Clock, 'now' | 'least'>, unref: boolean) {
    this.#source = source
    this.#wheel = new TimerWheel({ name: 'durable', budget: BUDGET, unref, asyncContext: false })
    this.#offset = source.now() - monotonic()
    // Keeps the process alive, too, while the store is open.
    this.#wheel.setInterval(() => this.#look(), 1_000)
  }

  now(): number {
    return this.#source.now()
  }

  least(): number {
    return this.#source.least()
  }

  #look(): void {
    const offset = this.now() - monotonic()
    if (Math.abs(offset - this.#offset) < SHIFT) return
    this.#offset = offset
    this.#wasSet()
  }

  after(ms: number, callback: () => void): number {
    return this.#wheel.schedule(callback, Math.min(Math.max(ms, 1), LONGEST))
  }

  clear(id: number): void {
    this.#wheel.cancel(id)
  }

  onSet(callback: () => void): void {
    this.#wasSet = callback
  }

  stop(): void {
    this.#wheel.stop()
  }
}

/** Time that a test moves. */
export class ManualClock implements Clock {
  /** Whether an open store has it. */
  isUsed = false
  /** For the thread of the database, too. */
  readonly time = new Float64Array(new SharedArrayBuffer(8))
  readonly #callbacks = new Map<number, { time: number; callback: () => void }>()
  #ids = 0

  constructor(now: number) {
    this.time[0] = now
  }

  now(): number {
    return this.time[0]!
  }

  least(): number {
    return this.now()
  }

  monotonic(): number {
    return this.now()
  }

  after(ms: number, callback: () => void): number {
    this.#callbacks.set(++this.#ids, { time: this.now() + ms, callback })
    return this.#ids
  }

  clear(id: number): void {
    this.#callbacks.delete(id)
  }

  onSet(): void {}

  stop(): void {
    this.isUsed = false
    this.#callbacks.clear()
  }

  /** Goes to the next time of callbacks up to `until`, and calls all of that time. Returns whether there were some. */
  next(until: number): boolean {
    const times = Array.from(this.#callbacks.values(), ({ time }) => Math.max(time, this.now()))
    const first = times.reduce((a, b) => Math.min(a, b), Infinity)
    this.time[0] = Math.max(this.now(), Math.min(first, until))
    if (first > until) return false
    for (const [id, { time, callback }] of [...this.#callbacks]) {
      // One may have cleared the next.
      if (time <= first && this.#callbacks.delete(id)) callback()
    }
    return true
  }
}

/** Calls back once, at the earliest of the times for which it was set since it has called back. */
export class Alarm {
  readonly #clock: Clock
  readonly #ring: () => void
  #time = Number.POSITIVE_INFINITY
  #timer = 0

  constructor(clock: Clock, callback: () => void) {
    this.#clock = clock
    this.#ring = () => {
      this.#time = Number.POSITIVE_INFINITY
      callback()
    }
  }

  set(time: number): void {
    if (time >= this.#time) return
    this.clear()
    this.#time = time
    this.#timer = this.#clock.after(time - this.#clock.now(), this.#ring)
  }

  clear(): void {
    if (this.#time !== Number.POSITIVE_INFINITY) this.#clock.clear(this.#timer)
    this.#time = Number.POSITIVE_INFINITY
  }
}
