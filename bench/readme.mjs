/** node bench/readme.mjs [folder]: writes the figures of the folder's results (bench/results) into README.md. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resultsFolder } from './report/charts.mjs'
import { formatEnvironment, formatMedian, formatValue, ratioToNative } from './report/format.mjs'

/**
 * @import { Metric, Row } from './runner/harness.mjs'
 * @import { Summary } from './runner/statistics.mjs'
 * @import { Result } from './report/format.mjs'
 */

const readme = new URL('../README.md', import.meta.url)
const begin = '<!-- figures -->'
const end = '<!-- /figures -->'
/** Those of the short form, and one of the long. */
const parts = ['set-clear', 'distinct', 'refresh', 'hold', 'set-fire', 'service']

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
 * A part's title and table: median, spread and ratio of its first metric, medians of the others.
 *
 * @param {Result} result
 * @returns {string}
 */
export function formatMarkdown(result) {
  const { metrics, rows, title } = result
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
  return [`**${title}**`, '', ...[header, rule, ...rows.map(cellsOf)].map(line)].join('\n')
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
  return [...origins].map(([origin, names]) => `${names.join(', ')}: ${origin}.`).join('\n')
}

/**
 * @param {string} text  of README.md
 * @param {Result[]} results
 * @returns {string} the text with the figures between its markers replaced
 */
export function insertFigures(text, results) {
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from === -1 || to < from) throw new Error(`README.md has no ${begin} followed by ${end}`)
  const figures = [formatOrigins(results), ...results.map(formatMarkdown)].join('\n\n')
  return `${text.slice(0, from + begin.length)}\n${figures}\n${text.slice(to)}`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = process.argv[2] ? pathToFileURL(`${process.argv[2]}/`) : resultsFolder
  const files = parts.map((part) => new URL(`${part}.json`, folder)).filter((file) => existsSync(file))
  if (files.length === 0) {
    console.error(`There are no results in ${fileURLToPath(folder)}: run \`npm run bench\` first`)
    process.exit(1)
  }
  const results = files.map((file) => JSON.parse(readFileSync(file, 'utf8')))
  writeFileSync(readme, insertFigures(readFileSync(readme, 'utf8'), results))
  console.log(`README.md: ${results.map(({ part }) => part).join(', ')}`)
}
