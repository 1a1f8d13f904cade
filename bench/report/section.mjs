/** What both pages show of results: charts, tables, and where the results were measured. */

import { drawBars } from './bar-chart.mjs'
import { formatEnvironment, formatMedian, formatValue, ratioToNative } from './format.mjs'
import { escapeHtml, markUp, table } from './html.mjs'
import { drawLines } from './line-chart.mjs'

/**
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { Result } from './format.mjs'
 *
 * @typedef {{ what: string, figure: string, wanted: string, reached: boolean | null }} OwnBar  A figure to reach that a part
 *   judges by itself.
 * @typedef {Result & { bars?: OwnBar[], browsers?: Record<string, string> }} ShownResult
 */

/**
 * @param {Row} row
 * @param {Metric} metric
 */
function showCell(row, metric) {
  const summary = row.values[metric.key]
  if (summary === undefined) return '-'
  const { min, max, turns } = summary
  const bare = { ...metric, unit: '' }
  const spread = `${formatValue(min, bare)} – ${formatValue(max, bare)}`
  const shown = turns > 1 ? ` <span class="spread">(${escapeHtml(spread)})</span>` : ''
  return escapeHtml(formatMedian(row, metric)) + shown
}

/** @param {number | undefined} ratio */
const showRatio = (ratio) => (ratio === undefined ? '-' : ratio < 1 ? ratio.toPrecision(2) : ratio.toFixed(2))

/**
 * A chart of one metric with its caption.
 *
 * @param {ShownResult} result
 * @param {Metric} metric  Ignored if the chart has lines, whose points are all metrics.
 */
export function showChart(result, metric) {
  if (result.chart === 'lines') return drawLines(result)
  const bars = drawBars(result, metric)
  return bars === '' ? '' : `<p class="note">${escapeHtml(metric.label)}, less is better:</p>${bars}`
}

/**
 * The title, the method, a chart and all figures of a part.
 *
 * @param {ShownResult} result
 */
export function showPart(result) {
  const { part, title, note, metrics, rows, missing, chart } = result
  const isCompared = chart !== 'lines'
  const header = ['', ...metrics.map(({ label }) => label), ...(isCompared ? ['to native'] : []), 'turns']
  const lines = rows.map((row) => [
    escapeHtml(row.label),
    ...metrics.map((metric) => showCell(row, metric)),
    ...(isCompared ? [showRatio(ratioToNative(row, result))] : []),
    String(Math.max(...Object.values(row.values).map(({ turns }) => turns))),
  ])
  const absent = missing.map(
    ({ label, reason }) => `<p class="note">Not measured: ${escapeHtml(label)}: ${escapeHtml(reason)}</p>`,
  )
  return (
    `<section id="${part}"><h3>${markUp(title)}</h3><p class="note">${markUp(note)}</p>` +
    `${showChart(result, metrics[0])}${table(header, lines)}${absent.join('')}</section>`
  )
}

/**
 * The machines and versions of the results, each once.
 *
 * @param {ShownResult[]} results
 */
export function showOrigins(results) {
  /** @type {Map<string, string[]>} */
  const origins = new Map()
  for (const result of results) {
    const browsers = Object.values(result.browsers ?? {})
    const origin = `${[formatEnvironment(result), ...browsers].join(' - ')}, ${result.date.slice(0, 10)}`
    origins.set(origin, [...(origins.get(origin) ?? []), result.part])
  }
  return [...origins]
    .map(([origin, parts]) => {
      const which = origins.size === 1 ? '' : `${parts.join(', ')}: `
      return `<p class="origin">${escapeHtml(which + origin)}</p>`
    })
    .join('\n')
}
