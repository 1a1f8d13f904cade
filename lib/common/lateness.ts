/** What a wheel and `timeout-wheel top` measure of callbacks. */
import type { Lateness } from '../api/stats.js'

/** The buckets of a doubling. */
const BUCKETS_PER_OCTAVE = 8
const BUCKETS = 320
/** The upper end of bucket 0 is 2^-10 ms. */
const LOWEST = -10

/**
 * A histogram of lateness in fixed buckets: 8 for each doubling, from 1 microsecond to 12 days. A percentile is right within 9 %.
 * It has 2 KB and does not grow.
 */
export interface LatenessHistogram {
  add(ms: number): void
  read(): Lateness
}

export function openLateness(): LatenessHistogram {
  const buckets = new Float64Array(BUCKETS)
  let count = 0
  let sum = 0
  let max = 0

  /** The upper end of the bucket in which a part of all values ends. */
  function percentile(part: number): number {
    let below = 0
    const i = buckets.findIndex((n) => {
      below += n
      return below >= part * count
    })
    return Math.min(2 ** (i / BUCKETS_PER_OCTAVE + LOWEST), max)
  }

  return {
    add(ms) {
      const bucket = Math.ceil((Math.log2(ms) - LOWEST) * BUCKETS_PER_OCTAVE)
      buckets[Math.min(Math.max(bucket, 0), BUCKETS - 1)]!++
      count++
      sum += ms
      max = Math.max(max, ms)
    },
    read: () => ({ count, mean: sum / (count || 1), p50: percentile(0.5), p99: percentile(0.99), max }),
  }
}

/** Returns the name of a callback. The program can have replaced the property `name` by anything. */
export function nameOf(callback: unknown): string {
  try {
    const { name } = callback as { name: unknown }
    if (typeof name === 'string' && name !== '') return name
  } catch {
    // A getter has thrown.
  }
  return '(anonymous)'
}
