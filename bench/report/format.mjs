/** The tables that are printed, and the format of figures in tables and charts. */

export function formatValue(value, { unit, digits = 0 }) {
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${value.toLocaleString('en-US', fixed)} ${unit}`.trimEnd()
}

/** So many digits, or all that are left of the point. */
export function formatShort(value, digits = 3) {
  const isShort = value < 10 ** (digits - 1)
  const limit = isShort ? { maximumSignificantDigits: digits } : { maximumFractionDigits: 0 }
  return value.toLocaleString('en-US', limit)
}

export const formatCount = (count) => count.toLocaleString('en-US')

/** A figure: `-` if it was not measured. A design of the core has null if it takes longer than the limit. */
export function formatMedian(row, metric) {
  const summary = row?.values[metric.key]
  if (summary === undefined) return '-'
  return summary === null ? 'over the limit' : formatValue(summary.median, metric)
}

/** The least and the greatest value of several turns; empty if there is only one. */
export function formatSpread({ values }, metric) {
  const { min, max, turns = 1 } = values[metric.key] ?? {}
  if (turns === 1) return ''
  const [from, to] = [min, max].map((value) => formatValue(value, { ...metric, unit: '' }))
  return `(${from} - ${to})`
}

export const metricOf = ({ metrics }, key) => metrics.find((metric) => metric.key === key)

/** The row of native timers, or the row that a row names in `against`. */
export const comparedWith = ({ against }, rows) =>
  rows.find(({ id, group }) => (against === undefined ? group === 'native' : id === against))

/** The first metric of a row as a multiple of that of the row that it is compared with; `-` if that is missing or 0. */
function formatRatio(row, { rows, metrics: [{ key }] }) {
  const base = comparedWith(row, rows)?.values[key]?.median
  const own = row.values[key]?.median
  return base && own !== undefined ? `${(own / base).toFixed(2)}x` : '-'
}

/** The lines, with cells of equal width. The first line is the header. */
export function formatColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  const pad = (cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))
  return lines.map((line) => line.map(pad).join('  ')).join('\n')
}

/** A table in Markdown. The columns that are not in `left` have figures. */
export function formatMarkdown([header, ...lines], left = [0]) {
  const rule = header.map((_, i) => (left.includes(i) ? '---' : '--:'))
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The table of a part. `show(row, metric)` makes a cell of a figure. Ratios, if there are any, follow the first metric. */
export function tableOf(result, show) {
  const { metrics, rows, ratioTo = 'to native' } = result
  const lines = [
    ['', ...metrics.map(({ label }) => label)],
    ...rows.map((row) => [row.label, ...metrics.map((metric) => show(row, metric))]),
  ]
  const ratios = rows.map((row) => formatRatio(row, result))
  if (ratios.every((ratio) => ratio === '-')) return lines
  return lines.map((line, i) => line.toSpliced(2, 0, [ratioTo, ...ratios][i]))
}

export function formatReport(result) {
  const show = (row, metric) => {
    const spread = metric === result.metrics[0] ? formatSpread(row, metric) : ''
    return `${formatMedian(row, metric)} ${spread}`.trimEnd()
  }
  const table = formatColumns(tableOf(result, show))
  const missing = result.missing.map(({ label, reason }) => `Not measured: ${label}: ${reason}`)
  return [`\n${result.title}`, table, ...wrap(result.note), ...missing].join('\n')
}

export const formatEnvironment = ({ machine, node, version, commit, browsers }) =>
  [machine, `Node ${node}`, `timeout-wheel ${version}${commit ? ` (${commit})` : ''}`, browsers]
    .filter((part) => part !== undefined)
    .join(' - ')

/** The lines of a text: as many words as fit into the width, or a word that is longer. */
export function wrap(text, width = 110) {
  const line = new RegExp(`(.{1,${width}})( |$)`, 'g')
  return text.replace(line, '$1\n').trimEnd().split('\n')
}
