export function summarize(samples) {
  const sorted = Float64Array.from(samples).sort()
  const { length } = sorted
  const median = (sorted[(length - 1) >> 1] + sorted[length >> 1]) / 2
  return { median, min: sorted[0], max: sorted[length - 1], turns: length }
}

/** The sample that this fraction of the sorted samples does not exceed. */
export const quantile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]

export const nanosecondsEach = (milliseconds, { count }) => (milliseconds * 1e6) / count
