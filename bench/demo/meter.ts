/** Collects the data of the charts: a sample about twice a second, and the latest medians of each implementation. */
import type { Implementation } from './cell-timers.js'

export interface Sample {
  /** Milliseconds of each second in which the main thread was busy. */
  readonly busy: number
  /** The longest time between two frames, in milliseconds. */
  readonly frame: number
  /** The lateness below which 99 of 100 probes stayed, in milliseconds. */
  readonly late: number
  /** The JavaScript heap in use, in megabytes. */
  readonly heap: number
  /** The cost of restarting one timeout, in microseconds. */
  readonly rearm: number
}

export type Quantity = keyof Sample
/** Quantities that could not be measured, or did not happen, are absent. */
export type Measured = Partial<Sample>

/** Milliseconds after a change of cells or implementation that are not measured, because the change itself takes time. */
const SETTLING = 1000
/** The number of samples of a median. */
const KEPT = 12

/** A property that only Chromium has. */
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

  /** Drops the current sample, and the samples of the next second. */
  settle(): void {
    this.#settledAt = performance.now() + SETTLING
    this.#lastFrame = undefined
    this.#begin()
  }

  /** Drops all samples, because the number of cells has changed. */
  reset(): void {
    this.#kept.native = []
    this.#kept.wheel = []
    this.settle()
  }

  /** Ends a sample. Returns undefined while a change settles. */
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
