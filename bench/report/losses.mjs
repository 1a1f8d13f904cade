/**
 * The losses: figures of the addon that are worse than those of native timers.
 *
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { Result } from './format.mjs'
 */

import { comparedWith, formatMedian } from './format.mjs'

/** Metrics of which more is better, or neither. */
const notCosts = ['throughput', 'operations', 'answers', 'replaced', 'earliest', 'early', 'wall']
/** A ratio below this is within the spread of each part. */
const tolerated = 1.03

/**
 * @param {Result[]} results
 * @returns {{ part: string, title: string, metric: string, row: string, native: string, ours: string, ratio: number }[]}
 */
export const findLosses = (results) =>
  results.flatMap(({ part, title, metrics, rows }) =>
    rows
      .filter(({ group }) => group === 'addon')
      .flatMap((row) => {
        const native = comparedWith(row, rows)
        if (native === undefined) return []
        return metrics
          .filter((metric) => isWorse(row, native, metric))
          .map((metric) => ({
            ...{ part, title, metric: metric.label, row: row.label },
            native: formatMedian(native, metric),
            ours: formatMedian(row, metric),
            ratio: row.values[metric.key].median / native.values[metric.key].median,
          }))
      }),
  )

/**
 * @param {Row} row
 * @param {Row} native
 * @param {Metric} metric
 */
function isWorse({ values }, native, { key }) {
  const own = values[key]?.median
  const other = native.values[key]?.median
  return own !== undefined && other !== undefined && !notCosts.includes(key) && own > other * tolerated
}
