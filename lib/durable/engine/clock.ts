/** The clock of an open store, on a wheel of its own: it calls back at times of the database's clock. */
import { TimerWheel } from 'timeout-wheel'
import { monotonic } from '../common/time.js'

/** How long a turn of the event loop passes on timers that are due, in milliseconds: other work of the store follows in the same turn. */
const BUDGET = 3

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
  /** After so many milliseconds, one who waits for a time looks at the clock, because it can be set. */
  readonly look: number
  stop(): void
}

/** The time of a store, which can be set forwards or backwards. */
export function makeSystemClock(store: Pick<Clock, 'now' | 'least'>): Clock {
  const wheel = new TimerWheel({ name: 'durable', budget: BUDGET, asyncContext: false })
  let isStopped = false
  return {
    now: () => store.now(),
    least: () => store.least(),
    monotonic,
    // After `stop`, an answer of the database may still come and ask for a wait. The callback is not needed any more.
    after: (ms, callback) =>
      isStopped ? 0 : wheel.schedule(callback, Math.min(Math.max(ms, 1), Number.MAX_SAFE_INTEGER)),
    clear: (id) => void wheel.cancel(id),
    look: 1_000,
    stop() {
      isStopped = true
      wheel.stop()
    },
  }
}

/** Time that a test moves. */
export class ManualClock implements Clock {
  /** Whether an open store has it. */
  isUsed = false
  /** For the thread of the database, too. */
  readonly time = new Float64Array(new SharedArrayBuffer(8))
  readonly look = Infinity
  readonly #callbacks = new Map<number, { time: number; callback: () => void }>()
  #ids = 0

  readonly now = (): number => this.time[0]!
  readonly least = this.now
  readonly monotonic = this.now

  constructor(now: number) {
    this.time[0] = now
  }

  after(ms: number, callback: () => void): number {
    this.#callbacks.set(++this.#ids, { time: this.now() + ms, callback })
    return this.#ids
  }

  clear(id: number): void {
    this.#callbacks.delete(id)
  }

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

/**
 * Calls back once, at the earliest of the times for which it was set since it has called back. If the clock was set back meanwhile, it calls
 * back too early.
 */
export function makeAlarm(clock: Clock, callback: () => void) {
  const { look } = clock
  let earliest = Infinity
  let timer = 0

  function wait(ms: number): void {
    timer = clock.after(Math.min(ms, look), () => {
      if (ms > look && clock.now() < earliest) return wait(ms - look)
      earliest = Infinity
      callback()
    })
  }

  function clear(): void {
    if (earliest < Infinity) clock.clear(timer)
    earliest = Infinity
  }

  return {
    set(time: number): void {
      if (time >= earliest) return
      clear()
      earliest = time
      wait(time - clock.now())
    },
    clear,
  }
}
