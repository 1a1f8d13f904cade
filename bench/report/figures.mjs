/**
 * node bench/report/figures.mjs [folder]: writes the figures of the folder's results (bench/results) into README.md,
 * docs/benchmarks.md and docs/cliffs.md, and draws README's first chart.
 *
 * A document marks the place of the figures: `<!-- figures: burst -->` ... `<!-- /figures -->`. A name is that of a
 * part, one of `summaries`, or `cliffs:` and the name of a cause (bench/cliffs/causes.mjs).
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { localBin, mustRun } from '../../.tooling/step.mjs'
import { formatCause } from '../cliffs/causes.mjs'
import { resultsFolder } from './charts.mjs'
import { formatComparison, formatNodes, formatSummary } from './comparison.mjs'
import { formatEnvironment, formatMedian, formatValue, ratioToNative } from './format.mjs'
import { drawOverview } from './overview.mjs'

/**
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { Summary } from '../runner/statistics.mjs'
 * @import { Result } from './format.mjs'
 */

const documents = ['README.md', 'docs/benchmarks.md', 'docs/cliffs.md']
/** The tables of docs/cliffs.md: this, and the name of a cause. */
const CLIFFS = 'cliffs:'
const marked = /(<!-- figures: (\S+) -->\n)[\s\S]*?(<!-- \/figures -->)/g

/**
 * @param {Summary} summary
 * @param {Metric} metric
 */
function formatSpread({ min, max, turns }, metric) {
  const bare = { ...metric, unit: '' }
  return turns > 1 ? `${formatValue(min, bare)} - ${formatValue(max, bare)}` : 'one turn'
}

/** @param {number | undefined} ratio */
const formatRatio = (ratio) =>
  ratio === undefined ? '-' : ratio < 1 ? ratio.toPrecision(2) : ratio.toFixed(2)

/** @param {string[]} cells */
const line = (cells) => `| ${cells.join(' | ')} |`

/**
 * A part's table: median, spread and ratio of its first metric, medians of the others.
 *
 * @param {Result} result
 * @returns {string}
 */
export function formatMarkdown(result) {
  const { metrics, rows } = result
  const [first, ...others] = metrics
  const header = ['', first.label, 'least - greatest', 'to native', ...others.map(({ label }) => label)]
  /** @param {Row} row */
  const cellsOf = (row) => [
    row.label,
    formatValue(row.values[first.key].median, first),
    formatSpread(row.values[first.key], first),
    formatRatio(ratioToNative(row, result)),
    ...others.map((metric) => formatMedian(row, metric)),
  ]
  const rule = header.map((_, i) => (i === 0 ? '---' : '--:'))
  return [header, rule, ...rows.map(cellsOf)].map(line).join('\n')
}

/**
 * Says where the results were measured, once for all that have it in common.
 *
 * @param {Result[]} results
 */
function formatOrigins(results) {
  /** @type {Map<string, string[]>} */
  const origins = new Map()
  for (const result of results) {
    const origin = `${formatEnvironment(result)}, ${result.date.slice(0, 10)}`
    origins.set(origin, [...(origins.get(origin) ?? []), result.part])
  }
  if (origins.size === 1) return `${[...origins.keys()][0]}.`
  return [...origins].map(([origin, names]) => `- ${names.join(', ')}: ${origin}.`).join('\n')
}

/** @type {Record<string, (read: (part: string) => Result) => string>} */
const summaries = { summary: formatSummary, comparison: formatComparison, nodes: formatNodes }

/**
 * @param {string} text  of a document
 * @param {(part: string) => Result} read
 * @returns {string} the text with the figures between its marks replaced
 */
export function insertFigures(text, read) {
  const names = [...text.matchAll(marked)].map(([, , name]) => name)
  const parts = names
    .filter((name) => name !== 'origin' && !Object.hasOwn(summaries, name))
    .map((name) => (name.startsWith(CLIFFS) ? 'cliffs' : name))
  /** @param {string} name */
  const format = (name) => {
    if (name === 'origin') return formatOrigins([...new Set(parts)].map(read))
    if (Object.hasOwn(summaries, name)) return summaries[name](read)
    if (!name.startsWith(CLIFFS)) return formatMarkdown(read(name))
    const cliffs = /** @type {Parameters<typeof formatCause>[0]} */ (/** @type {unknown} */ (read('cliffs')))
    return formatCause(cliffs, name.slice(CLIFFS.length))
  }
  return text.replace(marked, (_, begin, name, end) => `${begin}\n${format(name)}\n\n${end}`)
}

/** @param {URL} folder  ends with a slash */
function readFrom(folder) {
  /** @param {string} part */
  return (part) => {
    const file = new URL(`${part}.json`, folder)
    if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
    throw new Error(`There is no ${fileURLToPath(file)}: measure that part first`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const read = readFrom(process.argv[2] ? pathToFileURL(`${process.argv[2]}/`) : resultsFolder)
  const written = documents.map((name) => {
    const file = new URL(`../../${name}`, import.meta.url)
    return { file, text: insertFigures(readFileSync(file, 'utf8'), read) }
  })
  writeFileSync(new URL('overview.svg', resultsFolder), drawOverview(read))
  for (const { file, text } of written) writeFileSync(file, text)
  await mustRun(localBin('biome'), ['format', '--write', ...documents], { quiet: true })
  console.log(`${documents.join(', ')}, overview.svg`)
}
