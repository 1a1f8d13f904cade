/** The cells: the times of their last touches and expiries, and their timeouts. */
import { type CellTimers, cellTimers, type Implementation } from './cell-timers.js'

const SHORTEST_DELAY = 2000
const LONGEST_DELAY = 6000
/** One of so many cells, a power of two, reads the clock when it is set and when it expires. A reading costs more than a touch. */
const PROBE_ONE_IN = 16

export class Population {
  readonly size: number
  /** Milliseconds until a cell expires that nothing touches. Each cell keeps its delay. */
  readonly delays: Uint16Array
  readonly touchedAt: Float64Array
  readonly ranOutAt: Float64Array
  /** The number of cells that have expired since the start. */
  ranOut = 0
  /** The time of the current frame. */
  now = performance.now()
  readonly #callbacks: (() => void)[]
  readonly #probesDueAt: Float64Array
  #timers: CellTimers

  /** @param onLate gets the lateness of a probe in milliseconds */
  constructor(size: number, implementation: Implementation, onLate: (ms: number) => void) {
    this.size = size
    this.delays = Uint16Array.from(
      { length: size },
      () => SHORTEST_DELAY + Math.random() * (LONGEST_DELAY - SHORTEST_DELAY),
    )
    this.touchedAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY)
    this.ranOutAt = new Float64Array(size).fill(Number.NEGATIVE_INFINITY)
    this.#probesDueAt = new Float64Array(Math.ceil(size / PROBE_ONE_IN))
    this.#callbacks = Array.from({ length: size }, (_, cell) =>
      cell % PROBE_ONE_IN === 0 ? () => this.#runOutProbe(cell, onLate) : () => this.#runOut(cell),
    )
    this.#timers = this.#start(implementation)
  }

  /** Clears all timeouts, and sets them again with another implementation. */
  use(implementation: Implementation): void {
    this.#timers.clearAll()
    this.#timers = this.#start(implementation)
  }

  stop(): void {
    this.#timers.clearAll()
  }

  /**
   * Restarts the timeouts of the first `count` of `cells`.
   *
   * @returns the duration in milliseconds
   */
  touch(cells: Uint32Array, count: number): number {
    const before = performance.now()
    this.#timers.rearm(cells, count)
    const took = performance.now() - before
    for (let i = 0; i < count; i++) {
      const cell = cells[i]!
      this.touchedAt[cell] = this.now
      if (cell % PROBE_ONE_IN === 0) this.#expectProbe(cell, before + (took * i) / count)
    }
    return took
  }

  #start(implementation: Implementation): CellTimers {
    const timers = cellTimers[implementation](this.#callbacks, this.delays)
    for (let cell = 0; cell < this.size; cell++) {
      if (cell % PROBE_ONE_IN === 0) this.#expectProbe(cell, performance.now())
      timers.set(cell)
    }
    return timers
  }

  #expectProbe(cell: number, now: number): void {
    this.#probesDueAt[cell / PROBE_ONE_IN] = now + this.delays[cell]!
  }

  #runOutProbe(cell: number, onLate: (ms: number) => void): void {
    const now = performance.now()
    onLate(now - this.#probesDueAt[cell / PROBE_ONE_IN]!)
    this.#expectProbe(cell, now)
    this.#runOut(cell)
  }

  #runOut(cell: number): void {
    this.ranOutAt[cell] = this.now
    this.ranOut++
    this.#timers.set(cell)
  }
}
