/** Collects the samples of the charts, about two a second, and tells the medians of the latest ones. */
import type { Implementation } from './cell-timers.js'

export type Quantity = 'rearm' | 'busy' | 'frame' | 'late' | 'heap'
/** Quantities at a time in milliseconds. NaN is one that could not be measured, or did not happen. */
export type Sample = Readonly<Record<Quantity | 'at', number>>

/** Milliseconds after a change of cells or implementation that are not measured, because the change itself takes time. */
export const SETTLING = 1000
/** Samples kept of each implementation, and those of a median. */
const KEPT = 80
const OF_MEDIAN = 12

export class Meter {
  readonly samples: Record<Implementation, Sample[]> = { native: [], wheel: [] }
  /** Data of the sample that has begun: durations of frames, lateness of probes, restarts and their duration, expiries. */
  frames: number[] = []
  late: number[] = []
  rearmed = 0
  rearming = 0
  ranOut = 0
  #begunAt = 0
  #settledAt = 0
  #countedSince = 0

  /** Drops the current sample, and the samples of the next second. */
  settle(): void {
    this.#begin()
    this.#settledAt = this.#begunAt + SETTLING
  }

  /** Drops all samples from the medians, because the number of cells has changed. */
  reset(): void {
    this.settle()
    this.#countedSince = this.#begunAt
  }

  /** Ends a sample, which is not kept while a change settles. Returns the restarts and expiries per second. */
  take(implementation: Implementation, busy: number): { rearmed: number; ranOut: number } {
    const at = performance.now()
    const { memory } = performance as { memory?: { usedJSHeapSize: number } }
    if (at >= this.#settledAt) {
      const samples = this.samples[implementation]
      samples.push({
        at,
        rearm: (this.rearming / this.rearmed) * 1000,
        busy,
        frame: quantile(this.frames, 1),
        late: quantile(this.late, 0.99),
        heap: (memory?.usedJSHeapSize ?? Number.NaN) / 1e6,
      })
      if (samples.length > KEPT) samples.shift()
    }
    const seconds = (at - this.#begunAt) / 1000
    const rates = { rearmed: this.rearmed / seconds, ranOut: this.ranOut / seconds }
    this.#begin()
    return rates
  }

  median(implementation: Implementation, quantity: Quantity): number {
    const latest = this.samples[implementation].slice(-OF_MEDIAN).filter(({ at }) => at > this.#countedSince)
    const values = latest.map((sample) => sample[quantity])
    return quantile(values, 0.5)
  }

  #begin(): void {
    this.#begunAt = performance.now()
    Object.assign(this, { frames: [], late: [], rearmed: 0, rearming: 0, ranOut: 0 })
  }
}

/** The value below which a share of the values lies, without those that are NaN. */
export function quantile(values: number[], share: number): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? Number.NaN
}
