/**
 * The table that is printed at the end, and the format of figures in tables and charts.
 *
 * @import { Description, Metric, Row, Settings } from '../runner/harness.mjs'
 * @import { Summary } from '../runner/statistics.mjs'
 * @import { Missing } from '../contenders/index.mjs'
 * @import { Environment } from '../runner/machine.mjs'
 *
 * @typedef {Environment & Description & {
 *   part: string, chart: 'bars' | 'lines', settings: Settings, metrics: Metric[], rows: Row[], missing: Missing[]
 * }} Result  The content of `results/<part>.json`.
 */

/**
 * @param {number} value
 * @param {Metric} metric
 */
export function formatValue(value, { unit, digits = 0 }) {
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${value.toLocaleString('en-US', fixed)} ${unit}`.trimEnd()
}

/**
 * @param {Row} row
 * @param {Metric} metric
 */
export const formatMedian = ({ values }, metric) =>
  values[metric.key] === undefined ? '-' : formatValue(values[metric.key].median, metric)

/**
 * @param {Summary | undefined} summary  undefined if it was not measured
 * @param {Metric} metric
 */
function formatSummary(summary, metric) {
  if (summary === undefined) return '-'
  const { median, min, max, turns } = summary
  const bare = { ...metric, unit: '' }
  const spread = turns > 1 ? ` (${formatValue(min, bare)} - ${formatValue(max, bare)})` : ''
  return formatValue(median, metric) + spread
}

/**
 * The row of native timers, or the row that a row names in `against`.
 *
 * @param {Pick<Row, 'against'>} row
 * @param {Row[]} rows
 */
export const comparedWith = ({ against }, rows) =>
  rows.find(({ id, group }) => (against === undefined ? group === 'native' : id === against))

/**
 * The first metric of a row as a multiple of the same metric of the row that it is compared with.
 *
 * @param {Row} row
 * @param {Result} result
 * @returns {number | undefined}  undefined if that row was not measured, or is 0
 */
export function ratioToNative(row, { rows, metrics }) {
  const native = comparedWith(row, rows)
  const { key } = metrics[0]
  const base = native?.values[key]?.median
  const own = row.values[key]?.median
  return base && own !== undefined ? own / base : undefined
}

/** @param {number} count */
export const formatCount = (count) => count.toLocaleString('en-US')

/** @param {number | undefined} ratio */
const formatRatio = (ratio) => (ratio === undefined ? '-' : `${ratio.toFixed(2)}x`)

/**
 * @param {Result} result
 * @returns {string}
 */
function formatTable(result) {
  const { metrics, rows } = result
  const [first, ...others] = metrics
  const cells = [
    ['', first.label, 'to native', ...others.map(({ label }) => label)],
    ...rows.map((row) => [
      row.label,
      formatSummary(row.values[first.key], first),
      formatRatio(ratioToNative(row, result)),
      ...others.map((metric) => formatMedian(row, metric)),
    ]),
  ]
  return formatColumns(cells)
}

/**
 * @param {string[][]} lines  The first is the header.
 * @returns {string} the lines, with cells of equal width
 */
export function formatColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  return lines
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
    )
    .join('\n')
}

/**
 * @param {Result} result
 * @returns {string}
 */
export function formatReport(result) {
  const missing = result.missing.map(({ label, reason }) => `Not measured: ${label}: ${reason}`)
  return [`\n${result.title}`, formatTable(result), ...wrap(result.note), ...missing].join('\n')
}

/**
 * @param {{ what: string, figure: string, wanted: string, reached: boolean | null }[]} bars  `reached` is null if it was not
 *   measured, or not on enough timers
 * @returns {string} how many are reached, and a line for each
 */
export function formatBars(bars) {
  const lines = bars.map(({ what, figure, wanted, reached }) => [
    reached === null ? '-' : reached ? 'reached' : 'missed',
    ...[what, figure, `wanted: ${wanted}`],
  ])
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const text = lines.map((line) =>
    line
      .map((cell, i) => cell.padEnd(widths[i]))
      .join('  ')
      .trimEnd(),
  )
  return `${bars.filter(({ reached }) => reached).length} of ${bars.length} reached\n${text.join('\n')}`
}

/** @param {Environment} environment */
export const formatEnvironment = ({ machine, node, version, commit }) =>
  `${machine.cpu}, ${machine.cores} cores, ${machine.memory}, ${machine.os} - Node ${node} - ` +
  `timeout-wheel ${version}${commit ? ` (${commit})` : ''}`

/**
 * @param {string} text
 * @param {number} [width]
 */
export function wrap(text, width = 110) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines.length - 1
    if (lines[last] === '') lines[last] = word
    else if (lines[last].length + 1 + word.length <= width) lines[last] += ` ${word}`
    else lines.push(word)
  }
  return lines
}
