/** What a wheel promises of due times and of the order of its timers, by a list that is searched for each expiration. */
import { expectSame } from './random.js'

export interface Entry {
  readonly name: number
  readonly due: number
  /** The number of the tick in which it is due. */
  readonly tick: number
  readonly order: number
}

const real = new Float64Array(1)
const bits = new BigInt64Array(real.buffer)

/** The sum of two times; the next number if the sum was rounded down. */
function after(now: number, delay: number): number {
  real[0] = now + delay
  // The difference to the larger number is exact.
  if (real[0] - now < delay || real[0] - delay < now) bits[0]! += 1n
  return real[0]
}

const inOrder = (a: Entry, b: Entry): number => a.tick - b.tick || a.order - b.order

/** The timers of a manual wheel. */
export class SortedList {
  now = 0
  /** The delay that a delay of 0 stands for. */
  readonly soonest: number
  /** What stats() shows. */
  readonly counts = { scheduled: 0, fired: 0, cancelled: 0 }
  readonly entries = new Map<number, Entry>()
  readonly #perMs: number
  /** Microseconds are whole if ticks are fractions. */
  readonly #isFine: boolean
  /** The last due time that any timer has had in a tick. */
  readonly #latest = new Map<number, number>()
  #order = 0
  #until = 0

  /** @param tick the length of a tick in milliseconds */
  constructor(tick: number) {
    this.soonest = Math.min(tick, 1)
    this.#perMs = 1 / tick
    this.#isFine = tick % 1 > 0
  }

  set(name: number, delay: number): void {
    this.setDue(name, this.dueAfter(delay))
  }

  setDue(name: number, due: number): void {
    const tick = this.note(due)
    this.entries.set(name, { name, due, tick, order: this.#order++ })
  }

  dueAfter(delay: number): number {
    return after(this.now, delay || this.soonest)
  }

  /** A timer was due then, which is cancelled or moved. Its tick can still wait for it. Returns the tick. */
  note(due: number): number {
    const tick = Math.floor(due * this.#perMs)
    this.#latest.set(tick, Math.max(due, this.#latest.get(tick) ?? 0))
    return tick
  }

  get inOrder(): Entry[] {
    return [...this.entries.values()].sort(inOrder)
  }

  get first(): Entry | undefined {
    let first: Entry | undefined
    for (const entry of this.entries.values()) if (!first || inOrder(entry, first) < 0) first = entry
    return first
  }

  /** A timer runs at `now`. Removes and returns it. */
  run(name: number, now: number): Entry {
    const { first } = this
    expectSame(name, first?.name)
    const { tick, due } = first!
    expectSame(now >= this.now && now >= due && now <= this.#until, true)
    // The timers of a tick run when the last of them is due.
    if (now > this.now) {
      expectSame(now <= this.#latest.get(tick)!, true)
      for (const other of this.entries.values()) if (other.tick === tick) expectSame(other.due <= now, true)
    }
    this.now = now
    this.entries.delete(name)
    this.counts.fired++
    return first!
  }

  /** Begins an advance. Returns the time at which it ends. What is due later by the rounding error of a sum still runs. */
  endOf(ms: number): number {
    const sum = this.now + ms
    const end = this.#isFine ? Math.round(sum * 1000) / 1000 : sum
    this.#until = end + Math.min(end * 2 ** -50, 0.001)
    return end
  }

  /** Time has passed until `now`. What was due before has run. */
  pass(end: number, now: number): void {
    expectSame(now >= this.now && now >= end && now <= Math.max(this.now, this.#until), true)
    this.now = now
    const { first } = this
    if (first !== undefined) expectSame(this.#latest.get(first.tick)! > this.now, true)
  }
}
