/**
 * Horizontal bars of a metric. The labels are HTML, so that they are readable at any width. Each bar is a separate SVG.
 *
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { Result } from './format.mjs'
 */

import { formatMedian } from './format.mjs'
import { escapeHtml } from './html.mjs'

const width = 1_000

/**
 * @param {Result} result
 * @param {Metric} metric
 * @returns {string}  Empty if there is nothing to draw.
 */
export function drawBars({ rows }, metric) {
  const measured = rows.filter(({ values }) => values[metric.key] !== undefined)
  const longest = scaleOf(measured, metric)
  if (!(longest > 0)) return ''
  const bars = measured.map(
    (row) =>
      `<div class="label">${escapeHtml(row.label)}</div>${drawBar(row, metric, longest)}` +
      `<div class="figure">${escapeHtml(formatMedian(row, metric))}</div>`,
  )
  return `<div class="bars">${bars.join('\n')}</div>`
}

/**
 * The value of a bar of full width. The bar of a rival is cut if it is longer, because it would make the others too small to read.
 *
 * @param {Row[]} rows
 * @param {Metric} metric
 */
function scaleOf(rows, { key }) {
  const own = rows.filter(({ group }) => group !== 'rival')
  return Math.max(...(own.length > 0 ? own : rows).map(({ values }) => values[key].max))
}

/**
 * @param {Row} row
 * @param {Metric} metric
 * @param {number} longest
 */
function drawBar({ group, values }, { key }, longest) {
  const { median, min, max } = values[key]
  /** @param {number} value */
  const x = (value) => Math.min(width, Math.max(0, (value / longest) * width)).toFixed(1)
  const cut = median > longest ? `<path class="cut" d="M965 0L985 5L965 10M980 0L1000 5L980 10"/>` : ''
  const whisker = cut === '' ? `M${x(min)} 2V8M${x(min)} 5H${x(max)}M${x(max)} 2V8` : ''
  return (
    `<svg class="bar ${group}" viewBox="0 0 ${width} 10" preserveAspectRatio="none" aria-hidden="true">` +
    `<rect width="${x(median)}" height="10"/><path class="whisker" d="${whisker}"/>${cut}</svg>`
  )
}
