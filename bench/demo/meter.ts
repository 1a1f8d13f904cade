/** Gathers what the charts show: a sample about twice a second, and the latest medians of either implementation. */
import type { Implementation } from './cell-timers.js'

export interface Sample {
  /** Milliseconds of each second in which the main thread had something to do. */
  readonly busy: number
  /** The longest time between two frames, in milliseconds. */
  readonly frame: number
  /** The lateness that 99 of 100 probes kept below, in milliseconds. */
  readonly late: number
  /** The JavaScript heap in use, in megabytes. */
  readonly heap: number
  /** To count one time-out anew, in microseconds. */
  readonly rearm: number
}

export type Quantity = keyof Sample
/** What could not be measured, or did not happen, is left out. */
export type Measured = Partial<Sample>

/** Milliseconds after a change of the cells or the implementation that count for nobody: the change itself costs. */
const SETTLING = 1000
/** The samples that a median is taken of. */
const KEPT = 12

/** What Chromium tells, and it alone. */
interface HeapTeller {
  readonly memory?: { readonly usedJSHeapSize: number }
}

export function tellsHeap(): boolean {
  return (performance as HeapTeller).memory !== undefined
}

export class Meter {
  #implementation: Implementation
  #settledAt = 0
  #lastFrame: number | undefined
  #frames: number[] = []
  #late: number[] = []
  #rearmed = 0
  #rearming = 0
  readonly #kept: Record<Implementation, Measured[]> = { native: [], wheel: [] }

  constructor(implementation: Implementation) {
    this.#implementation = implementation
    this.settle()
  }

  readonly addLate = (ms: number): void => {
    this.#late.push(ms)
  }

  addFrame(now: number): void {
    if (this.#lastFrame !== undefined) this.#frames.push(now - this.#lastFrame)
    this.#lastFrame = now
  }

  addRearmed(count: number, ms: number): void {
    this.#rearmed += count
    this.#rearming += ms
  }

  use(implementation: Implementation): void {
    this.#implementation = implementation
    this.settle()
  }

  /** Forgets what has been measured of the sample that is being taken, and what the next second will bring. */
  settle(): void {
    this.#settledAt = performance.now() + SETTLING
    this.#lastFrame = undefined
    this.#begin()
  }

  /** Forgets everything: the number of cells is another. */
  reset(): void {
    this.#kept.native = []
    this.#kept.wheel = []
    this.settle()
  }

  /** Ends a sample; nothing while a change settles. */
  take(busy: number): Measured | undefined {
    const sample = this.#measured(busy)
    this.#begin()
    if (performance.now() < this.#settledAt) return undefined
    const kept = this.#kept[this.#implementation]
    kept.push(sample)
    if (kept.length > KEPT) kept.shift()
    return sample
  }

  median(implementation: Implementation, quantity: Quantity): number | undefined {
    const values = this.#kept[implementation]
      .map((sample) => sample[quantity])
      .filter((one) => one !== undefined)
    return quantile(values, 0.5)
  }

  #begin(): void {
    this.#frames = []
    this.#late = []
    this.#rearmed = 0
    this.#rearming = 0
  }

  #measured(busy: number): Measured {
    const bytes = (performance as HeapTeller).memory?.usedJSHeapSize
    const found = {
      busy,
      frame: quantile(this.#frames, 1),
      late: quantile(this.#late, 0.99),
      heap: bytes === undefined ? undefined : bytes / 1e6,
      rearm: this.#rearmed === 0 ? undefined : (this.#rearming / this.#rearmed) * 1000,
    }
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined))
  }
}

function quantile(values: number[], share: number): number | undefined {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
}
