/** @typedef {{ median: number, min: number, max: number, turns: number }} Summary */

/**
 * @param {ArrayLike<number>} samples
 * @returns {Summary}
 */
export function summarize(samples) {
  const sorted = Float64Array.from(samples).sort()
  const { length } = sorted
  const median = (sorted[(length - 1) >> 1] + sorted[length >> 1]) / 2
  return { median, min: sorted[0], max: sorted[length - 1], turns: length }
}

/**
 * @param {Float64Array} sorted
 * @param {number} fraction  The share of the samples that are not larger.
 */
export const quantile = (sorted, fraction) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))]
