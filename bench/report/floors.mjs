/**
 * What the runtime takes by itself for a work, taken from the results: rows of no timer. No handle with an async context can
 * cost less.
 *
 * @import { Result } from '../report.mjs'
 */

import { formatMedian } from '../report.mjs'

/**
 * @param {Result[]} results
 * @returns {{ part: string, title: string, metric: string, row: string, floor: string, native: string, most: number }[]} `most`:
 *   how many times less than native's figure the floor is, so that nobody can be better
 */
export const findFloors = (results) =>
  results.flatMap(({ part, title, metrics, rows }) => {
    const native = rows.find(({ group }) => group === 'native')
    return rows
      .filter(({ group }) => group === 'floor')
      .flatMap((row) =>
        metrics
          .filter(({ key }) => (row.values[key]?.median ?? 0) > 0 && native?.values[key] !== undefined)
          .map((metric) => ({
            ...{ part, title, metric: metric.label, row: row.label },
            floor: formatMedian(row, metric),
            native: formatMedian(/** @type {typeof row} */ (native), metric),
            most:
              /** @type {typeof row} */ (native).values[metric.key].median / row.values[metric.key].median,
          })),
      )
  })
