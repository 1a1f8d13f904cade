/** The cells: the times of their last touches and expiries, and their timeouts. */
import { type CellTimers, cellTimers, type Implementation } from './cell-timers.js'
import type { Meter } from './meter.js'

/** Delays, in milliseconds. */
const SHORTEST = 2000
const LONGEST = 6000
/** One of so many cells reads the clock when it expires, because a reading costs more than a touch. */
const PROBE_ONE_IN = 16

export class Population {
  /** Milliseconds until a cell expires that nothing touches. Each cell keeps its delay. */
  readonly delays: Uint16Array
  readonly touchedAt: Float64Array
  readonly ranOutAt: Float64Array
  /** The time of the current frame. */
  now = performance.now()
  readonly #meter: Meter
  readonly #callbacks: (() => void)[]
  readonly #dueAt: Float64Array
  #timers: CellTimers | undefined

  constructor(size: number, implementation: Implementation, meter: Meter) {
    this.delays = new Uint16Array(size).map(() => SHORTEST + Math.random() * (LONGEST - SHORTEST))
    this.touchedAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY)
    this.ranOutAt = this.touchedAt.slice()
    this.#meter = meter
    this.#dueAt = new Float64Array(size)
    this.#callbacks = Array.from({ length: size }, (_, cell) => () => this.#runOut(cell))
    this.use(implementation)
  }

  /** Sets all timeouts with an implementation, after it has cleared those of another one. */
  use(implementation: Implementation): void {
    this.stop()
    this.#timers = cellTimers[implementation](this.#callbacks, this.delays)
    for (let cell = 0; cell < this.delays.length; cell++) {
      this.#dueAt[cell] = performance.now() + this.delays[cell]!
      this.#timers.set(cell)
    }
  }

  stop(): void {
    this.#timers?.clearAll()
  }

  /** Restarts the timeouts of the first `count` of `cells`. Returns the duration in milliseconds. */
  touch(cells: Uint32Array, count: number): number {
    const before = performance.now()
    this.#timers!.rearm(cells, count)
    const took = performance.now() - before
    for (let i = 0; i < count; i++) {
      const cell = cells[i]!
      this.touchedAt[cell] = this.now
      this.#dueAt[cell] = before + (took * i) / count + this.delays[cell]!
    }
    return took
  }

  #runOut(cell: number): void {
    if (cell % PROBE_ONE_IN === 0) {
      const now = performance.now()
      this.#meter.late.push(now - this.#dueAt[cell]!)
      this.#dueAt[cell] = now + this.delays[cell]!
    }
    this.ranOutAt[cell] = this.now
    this.#meter.ranOut++
    this.#timers!.set(cell)
  }
}
