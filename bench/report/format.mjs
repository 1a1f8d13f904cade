/** The tables that are printed, and the format of figures in tables and charts. */

export function formatValue(value, { unit, digits = 0 }) {
  const fixed = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${value.toLocaleString('en-US', fixed)} ${unit}`.trimEnd()
}

/** Three digits, or all that are left of the point. */
export const formatShort = (value) =>
  value.toLocaleString('en-US', value < 100 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 0 })

export const formatCount = (count) => count.toLocaleString('en-US')

/** A figure: `-` if it was not measured. A design of the core has null if it takes longer than the limit. */
export function formatMedian({ values }, metric) {
  const summary = values[metric.key]
  if (summary === undefined) return '-'
  return summary === null ? 'over the limit' : formatValue(summary.median, metric)
}

export function formatSpread({ min, max }, metric) {
  const bare = { ...metric, unit: '' }
  return `${formatValue(min, bare)} - ${formatValue(max, bare)}`
}

/** The row of native timers, or the row that a row names in `against`. */
export const comparedWith = ({ against }, rows) =>
  rows.find(({ id, group }) => (against === undefined ? group === 'native' : id === against))

/** The first metric of a row as a multiple of that of the row that it is compared with; undefined if that is missing or 0. */
function ratioToNative(row, { rows, metrics }) {
  const { key } = metrics[0]
  const base = comparedWith(row, rows)?.values[key]?.median
  const own = row.values[key]?.median
  return base && own !== undefined ? own / base : undefined
}

const formatRatio = (ratio) => (ratio === undefined ? '-' : `${ratio.toFixed(2)}x`)

/** The lines, with cells of equal width. The first line is the header. */
export function formatColumns(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  return lines
    .map((line) =>
      line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  '),
    )
    .join('\n')
}

/** A table in Markdown. The columns that are not in `left` have figures. */
export function formatMarkdown([header, ...lines], left = [0]) {
  const rule = header.map((_, i) => (left.includes(i) ? '---' : '--:'))
  return [header, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The table of a part. `show(row, metric)` makes a cell of a figure. */
export function tableOf(result, show) {
  const { metrics, rows, ratioTo = 'to native' } = result
  const ratios = rows.map((row) => ratioToNative(row, result))
  const isCompared = ratios.some((ratio) => ratio !== undefined)
  const line = (label, [first, ...others], ratio) => [label, first, ...(isCompared ? [ratio] : []), ...others]
  const labels = metrics.map(({ label }) => label)
  const figures = (row) => metrics.map((metric) => show(row, metric))
  return [
    line('', labels, ratioTo),
    ...rows.map((row, i) => line(row.label, figures(row), formatRatio(ratios[i]))),
  ]
}

function formatTable(result) {
  const [first] = result.metrics
  const show = (row, metric) => {
    const summary = metric === first ? row.values[metric.key] : undefined
    const spread = summary?.turns > 1 ? ` (${formatSpread(summary, metric)})` : ''
    return formatMedian(row, metric) + spread
  }
  return formatColumns(tableOf(result, show))
}

export function formatReport(result) {
  const missing = result.missing.map(({ label, reason }) => `Not measured: ${label}: ${reason}`)
  return [`\n${result.title}`, formatTable(result), ...wrap(result.note), ...missing].join('\n')
}

export const formatEnvironment = ({ machine, node, version, commit, browsers }) =>
  [machine, `Node ${node}`, `timeout-wheel ${version}${commit ? ` (${commit})` : ''}`, browsers]
    .filter((part) => part !== undefined)
    .join(' - ')

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
